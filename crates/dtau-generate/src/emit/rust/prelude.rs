//! What functions of the output compute with: text of it, for the precision and the mathematics at hand.

use super::{File, Math, Precision};
use std::fmt::Write;

impl File<'_> {
    pub(super) fn prelude(&self, out: &mut String) {
        let (real, options) = (self.real, self.options);
        out.push_str("\n// What the functions compute with.\n\n");
        for float in ["f64", "f32"].iter().take(if real == "f64" { 1 } else { 2 }) {
            let suffix = if *float == "f64" { "" } else { "f" };
            let each = [
                (
                    format!("fn sqrt_{float}(x: {float}) -> {float}"),
                    format!("{float}::sqrt(x)"),
                    format!("libm::sqrt{suffix}(x)"),
                ),
                (
                    format!("fn atan2_{float}(y: {float}, x: {float}) -> {float}"),
                    format!("{float}::atan2(y, x)"),
                    format!("libm::atan2{suffix}(y, x)"),
                ),
            ];
            for (declaration, std, libm) in each {
                self.either("#[inline(always)]\n", &declaration, &std, &libm, out);
            }
            self.multiply_add(float, out);
        }
        let large = "fn sin_cos_large(x: f64) -> (f64, f64)";
        self.either("#[cold]\n#[inline(never)]\n", large, "f64::sin_cos(x)", "libm::sincos(x)", out);
        out.push('\n');
        out.push_str(include_str!("text/prelude.rs"));
        out.push_str("\nplain!(f64, sqrt_f64, atan2_f64, multiply_add_f64);\n");
        if real == "f32" {
            out.push_str("plain!(f32, sqrt_f32, atan2_f32, multiply_add_f32);\n");
        }
        if !self.chooses() {
            return;
        }
        out.push('\n');
        let (suffix, set, get) = match options.precision {
            Precision::F64 => ("sd", "_mm_set_sd", "_mm_cvtsd_f64"),
            Precision::F32 => ("ss", "_mm_set_ss", "_mm_cvtss_f32"),
        };
        let (register, permute, gather, own) = match options.precision {
            Precision::F64 => ("F64x4", "_mm256_permute4x64_pd", GATHER_F64, include_str!("text/avx2_f64.rs")),
            Precision::F32 => ("F32x8", "_mm256_permute_ps", GATHER_F32, include_str!("text/avx2_f32.rs")),
        };
        // One instruction either way; compilers take three times as long with the second, which `core` has.
        let mut own = own.to_string() + "\n    /// a · b + c, rounded once.\n";
        let fused = format!("fn fused(a: {real}, b: {real}, c: {real}) -> {real}");
        let by_instruction = format!(
            "// SAFETY: see the module.\n    unsafe {{ {get}(_mm_fmadd_{suffix}({set}(a), {set}(b), {set}(c))) }}"
        );
        let sqrt = if suffix == "sd" { "_mm_sqrt_sd(of, of)" } else { "_mm_sqrt_ss(of)" };
        self.either("#[inline(always)]\n", &fused, &format!("{real}::mul_add(a, b, c)"), &by_instruction, &mut own);
        let mut text = include_str!("text/avx2.rs").to_string();
        for (from, to) in [
            ("@SQRT@", sqrt),
            ("@SET@", set),
            ("@GET@", get),
            ("@NAME@", register),
            ("@PERMUTE@", permute),
            ("@GATHER@", gather),
            ("@OF_PRECISION@", &own),
        ] {
            text = text.replace(from, to);
        }
        out.push_str(&text);
    }

    /// a · b + c of plain numbers: every 64-bit ARM rounds it once, as the library does there; others multiply, then add.
    fn multiply_add(&self, float: &str, out: &mut String) {
        let declaration = format!("fn multiply_add_{float}(a: {float}, b: {float}, c: {float}) -> {float}");
        let mut elsewhere = "";
        if self.chooses() {
            let arm = "target_arch = \"aarch64\"";
            let by_instruction = format!(
                "use core::arch::aarch64::*;\n    // SAFETY: a CPU of this kind has the instruction.\n    \
                 unsafe {{ vget_lane_{float}::<0>(vfma_{float}(vdup_n_{float}(c), vdup_n_{float}(a), vdup_n_{float}(b))) }}"
            );
            let attributes = format!("#[cfg({arm})]\n#[inline(always)]\n");
            self.either(&attributes, &declaration, &format!("{float}::mul_add(a, b, c)"), &by_instruction, out);
            elsewhere = "#[cfg(not(target_arch = \"aarch64\"))]\n";
        }
        let _ = writeln!(out, "{elsewhere}#[inline(always)]\n{declaration} {{\n    a * b + c\n}}");
    }

    /// A function of the standard library or of `libm`.
    fn either(&self, attributes: &str, declaration: &str, std: &str, libm: &str, out: &mut String) {
        let _ = match self.options.math {
            Math::Std => writeln!(out, "{attributes}{declaration} {{\n    {std}\n}}"),
            Math::Libm => writeln!(out, "{attributes}{declaration} {{\n    {libm}\n}}"),
            Math::Feature(name) => writeln!(
                out,
                "{attributes}#[cfg(feature = {name:?})]\n{declaration} {{\n    {std}\n}}\n\
                 {attributes}#[cfg(not(feature = {name:?}))]\n{declaration} {{\n    {libm}\n}}"
            ),
        };
    }
}

const GATHER_F64: &str = "F64x4::from_array([limbs[0].0, limbs[1].0, limbs[2].0, limbs[3].0])";
const GATHER_F32: &str = "F32x8::from_array([limbs[0].0, limbs[1].0, limbs[2].0, limbs[3].0, 0.0, 0.0, 0.0, 0.0])";
