macro_rules! multiply_adds {
    ($a:ident, $b:ident, $c:ident: $sum:expr) => {
        trait Numbers {
            fn multiply_add(a: Self, b: Self, c: Self) -> Self;
        }
        impl Numbers for f64 {
            #[inline(always)]
            fn multiply_add($a: f64, $b: f64, $c: f64) -> f64 {
                $sum
            }
        }
        impl Numbers for f32 {
            #[inline(always)]
            fn multiply_add($a: f32, $b: f32, $c: f32) -> f32 {
                $sum
            }
        }
    };
}

/// Multiply-adds that round twice, for any CPU.
mod plain {
    use super::*;
    multiply_adds! { a, b, c: a * b + c }
    functions! {}
}
