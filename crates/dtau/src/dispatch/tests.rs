//! Registers compute the same as arrays of [`Native`] numbers, bit for bit.

#[cfg(all(target_arch = "x86_64", not(dtau_portable)))]
use super::avx512::F64x8;
use super::{F32x8, F64x4, Hardware, Proof};
use crate::Random;
use crate::scalar::{Lanes, Native, Real, Wide};
use alloc::vec::Vec;

/// True if registers are tested on this CPU. If it has the instructions, registers must be available. If not,
/// the test prints that and tests the arrays that every CPU uses.
fn registers_run<R: Real>() -> bool {
    extern crate std;
    let runs = Proof::<R>::find().is_some();
    #[cfg(all(target_arch = "x86_64", feature = "std", not(dtau_portable)))]
    assert_eq!(
        runs,
        std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("fma")
            && (!<R::Hardware as Hardware<R>>::WIDEST
                || std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512dq")
                    && std::arch::is_x86_feature_detected!("avx512vl")),
        "AVX2, FMA and AVX-512 of this CPU are to be used"
    );
    #[cfg(target_arch = "aarch64")]
    assert!(runs, "every CPU of this kind fuses");
    if !runs {
        std::eprintln!("no such registers on this CPU, or no std to ask it: arrays are tested in place of them");
    }
    runs
}

macro_rules! register_tests {
    ($module:ident: $register:ident, $width:literal, $float:ident) => {
        mod $module {
            use super::*;

            type Array = Lanes<$width, Native<$float>>;

            fn register(x: Array) -> $register {
                $register::load(&x.0)
            }

            fn bits(x: $register) -> [u64; $width] {
                core::array::from_fn(|k| Wide::<Native<$float>>::lane(&x, k).0.to_bits().into())
            }

            fn array_bits(x: Array) -> [u64; $width] {
                x.0.map(|x| x.0.to_bits().into())
            }

            /// Numbers of all sizes and both signs, and special values.
            fn samples() -> Vec<Array> {
                let random = &mut Random::seeded(7);
                let mut arrays: Vec<Array> = (0..200)
                    .map(|_| {
                        let mut number = || random.within(-1.0, 1.0) * 10f64.powf(random.within(-6.0, 6.0));
                        Lanes(core::array::from_fn(|_| Native(number() as $float)))
                    })
                    .collect();
                let special = [0.0, -0.0, 1.0, -1.0, $float::MIN_POSITIVE, $float::MAX, $float::INFINITY, 1e7];
                for shift in 0..special.len() {
                    arrays.push(Lanes(core::array::from_fn(|k| Native(special[(k + shift) % special.len()]))));
                }
                arrays
            }

            /// Checks all triples of neighbours on registers, or else tests the arrays that replace them.
            fn on_samples(check: impl Fn(Array, Array, Array)) {
                if !registers_run::<$register>() {
                    return arrays_compute_what_single_numbers_do();
                }
                for x in samples().windows(3) {
                    check(x[0], x[1], x[2]);
                }
            }

            #[test]
            fn arrays_compute_what_single_numbers_do() {
                for x in samples().windows(3) {
                    let (a, b, c) = (x[0], x[1], x[2]);
                    let ((sin, cos), mask) = (a.sin_cos(), a.lt(b));
                    for k in 0..$width {
                        let (x, y, z) = (a.0[k], b.0[k], c.0[k]);
                        for (what, got, want) in [
                            ("+", (a + b).0[k], x + y),
                            ("-", (a - b).0[k], x - y),
                            ("*", (a * b).0[k], x * y),
                            ("/", (a / b).0[k], x / y),
                            ("mul_add", a.mul_add(b, c).0[k], x.mul_add(y, z)),
                            ("sqrt", (a * a).sqrt().0[k], (x * x).sqrt()),
                            ("atan2", a.atan2(b).0[k], x.atan2(y)),
                            ("select", Array::select(mask, a, c).0[k], Native::select(x.lt(y), x, z)),
                            ("sin", sin.0[k], x.sin_cos().0),
                            ("cos", cos.0[k], x.sin_cos().1),
                        ] {
                            let same = got.0.to_bits() == want.0.to_bits() || got.0.is_nan() && want.0.is_nan();
                            assert!(same, "{what} in lane {k} of {x:?}, {y:?}, {z:?}: got {got:?}, want {want:?}");
                        }
                    }
                }
            }

            #[test]
            fn arithmetic() {
                on_samples(|a, b, c| {
                    let (x, y, z) = (register(a), register(b), register(c));
                    let same = |got: $register, want: Array| {
                        let nan = |x: Native<$float>| x.0.is_nan(); // the sign of NaN is arbitrary
                        for k in 0..$width {
                            let (got, want) = (Wide::<Native<$float>>::lane(&got, k), want.0[k]);
                            assert!(got.0.to_bits() == want.0.to_bits() || nan(got) && nan(want), "{got:?} {want:?}");
                        }
                    };
                    same(x + y, a + b);
                    same(x - y, a - b);
                    same(x * y, a * b);
                    same(x / y, a / b);
                    same(-x, -a);
                    same(x.mul_add(y, z), a.mul_add(b, c));
                    same(x.neg_mul_add(y, z), a.neg_mul_add(b, c));
                    same(x.mul_sub(y, z), a.mul_sub(b, c));
                    same((x * x).sqrt(), (a * a).sqrt());
                    same(x.recip(), a.recip());
                    same(x.atan2(y), a.atan2(b));
                    same($register::select(x.lt(y), x, z), Array::select(a.lt(b), a, c));
                    let mut sum = x;
                    sum += y;
                    sum *= z;
                    sum -= x;
                    same(sum, (a + b) * c - a);
                });
            }

            #[test]
            fn sine_and_cosine() {
                on_samples(|a, _, _| {
                    let (sin, cos) = register(a).sin_cos();
                    let (want_sin, want_cos) = a.sin_cos();
                    for k in 0..$width {
                        if a.0[k].0.is_finite() {
                            assert_eq!(bits(sin)[k], array_bits(want_sin)[k], "sin {:?}", a.0[k]);
                            assert_eq!(bits(cos)[k], array_bits(want_cos)[k], "cos {:?}", a.0[k]);
                        } else {
                            assert!(!Wide::<Native<$float>>::lane(&sin, k).0.is_finite());
                        }
                    }
                });
            }

            #[test]
            fn questions() {
                on_samples(|a, b, _| {
                    let x = register(a);
                    assert_eq!(x.is_finite(), a.is_finite());
                    assert_eq!(x.any_below(0.5), a.any_below(0.5));
                    assert_eq!(x == register(b), a == b);
                    assert!(x == x || !a.is_finite());
                });
            }

            #[test]
            fn lanes_go_where_they_should() {
                on_samples(|a, b, _| {
                    let (x, y) = (register(a), register(b));
                    assert_eq!(bits($register::splat(a.0[1])), [array_bits(a)[1]; $width]);
                    for mask in 0..=u8::MAX {
                        let want =
                            core::array::from_fn(
                                |k| {
                                    if mask >> k & 1 == 1 { array_bits(a)[k] } else { array_bits(b)[k] }
                                },
                            );
                        assert_eq!(bits(Wide::<Native<$float>>::pick(mask, x, y)), want);
                    }
                    for k in 0..$width {
                        let mut changed = x;
                        changed.set_lane(k, b.0[k]);
                        let want = core::array::from_fn(|j| if j == k { array_bits(b)[j] } else { array_bits(a)[j] });
                        assert_eq!(bits(changed), want);
                    }
                });
            }

            #[test]
            fn some_numbers_are_read_and_written_and_no_others() {
                on_samples(|a, b, _| {
                    for count in 0..$width {
                        let mut want = [0; $width];
                        want[..count].copy_from_slice(&array_bits(a)[..count]);
                        assert_eq!(bits($register::load_some(&a.0[..count])), want);

                        let mut out = b;
                        register(a).store(&mut out.0[..count]);
                        let want = core::array::from_fn(|k| if k < count { a } else { b }.0[k].0.to_bits().into());
                        assert_eq!(array_bits(out), want);
                    }
                });
            }

            #[test]
            fn transposed_twice_is_the_same() {
                if !registers_run::<$register>() {
                    return arrays_compute_what_single_numbers_do();
                }
                let entry = |i: usize, k: usize| Native((10 * i + k) as $float);
                let row = |i| register(Lanes(core::array::from_fn(|k| entry(i, k))));
                let mut rows: [$register; $width] = core::array::from_fn(row);
                <$register as Wide<Native<$float>>>::transpose(&mut rows);
                for i in 0..$width {
                    for k in 0..$width {
                        assert_eq!(Wide::<Native<$float>>::lane(&rows[i], k), entry(k, i));
                    }
                }
                <$register as Wide<Native<$float>>>::transpose(&mut rows);
                for i in 0..$width {
                    assert_eq!(bits(rows[i]), bits(row(i)));
                }
            }

            #[test]
            fn constants_are_lifted() {
                if !registers_run::<$register>() {
                    return arrays_compute_what_single_numbers_do();
                }
                let x: Vec<f64> = (0..$width).map(|k| 0.1 * k as f64).collect();
                let want = core::array::from_fn(|k| (x[k] as $float).to_bits().into());
                assert_eq!(bits(<$register as Wide<Native<$float>>>::lift(&x)), want);
            }
        }
    };
}

register_tests!(f64x4: F64x4, 4, f64);
register_tests!(f32x8: F32x8, 8, f32);
#[cfg(all(target_arch = "x86_64", not(dtau_portable)))]
register_tests!(f64x8: F64x8, 8, f64);

#[cfg(all(target_arch = "x86_64", not(dtau_portable)))]
#[test]
fn two_registers_make_one() {
    use crate::scalar::Join;
    if registers_run::<F64x8>() {
        let number = |k: usize| Native(k as f64);
        let parts: [F64x4; 2] =
            core::array::from_fn(|half| F64x4::load(&core::array::from_fn::<_, 4, _>(|k| number(4 * half + k))));
        let whole = F64x8::join(|k| &parts[k]);
        for k in 0..8 {
            assert_eq!(Wide::<Native<f64>>::lane(&whole, k), number(k));
        }
    }
}
