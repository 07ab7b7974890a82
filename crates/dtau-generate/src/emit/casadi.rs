//! CasADi's external functions: the same C behind the interface that `casadi.external` looks for, in one file.
//!
//! ```text
//! int f(const double **arg, double **res, long long *iw, double *w, int mem)     a function of the robot, such as arm6_aba
//! f_n_in, f_n_out, f_name_in, f_name_out, f_sparsity_in, f_sparsity_out, f_work  what it takes and gives
//! jac_f                                    q, v, tau, (qdd)                  → ∂q̈/∂q, ∂q̈/∂v, ∂q̈/∂tau
//! adj1_f                                   q, v, tau, (qdd), λ               → Jᵀ λ, in three parts
//! jac_adj1_f                               the same and three not needed     → the Hessian of λᵀ f and Jᵀ, in blocks: see `hessian`
//! ```
//!
//! Forward products CasADi makes with the Jacobian.
//!
//! CasADi differentiates by the numbers of q, the library along tangents; both are the same where every joint has one degree of freedom
//! or is a translation, and other robots are refused.

mod hessian;

use super::c::{self, Precision, Style};
use super::identifier;
use crate::module::{Module, Request};
use crate::program::{Array, Program};
use crate::record::Numbers;
use crate::table::Refusal;
use dtau::model::{JointKind, Model};
use hessian::Hessian;
use std::fmt::Write;

/// Which functions of the library are a function's derivatives.
struct Rule {
    of: &'static str,
    /// Gives the function's own result first, then a matrix for each input.
    jacobian: &'static str,
    reverse: &'static str,
    /// Gives the gradient of wᵀf by each input, and the blocks qq, qv, vv, qx of its Hessian; x is the third input.
    hessian: &'static str,
    /// What a program is called that becomes the Hessian and the Jacobian in one.
    second: &'static str,
}

const RULES: [Rule; 2] = [
    Rule { of: "aba", jacobian: "fd_derivatives", reverse: "fd_vjp", hessian: "fd_hessian", second: "aba_hessian" },
    Rule { of: "rnea", jacobian: "id_derivatives", reverse: "id_vjp", hessian: "id_hessian", second: "rnea_hessian" },
];

/// What is asked for and the derivatives of it, for [`Module::record`].
///
/// # Errors
/// If a joint of the robot turns by a quaternion or moves in the plane; see above.
pub fn requests(model: &Model, asked: &[Request]) -> Result<Vec<Request>, Refusal> {
    let strange = model.joints().iter().find(|j| j.v.len() > 1 && !matches!(j.kind, JointKind::Translation));
    if let Some(joint) = strange {
        return Err(Refusal(format!(
            "joint {:?} ({}): CasADi differentiates by the numbers of q, and derivatives here are along v, which is not the same for \
             this joint; take a robot whose joints turn or slide, such as one with a fixed root, or C and integrate with dtau's `integrate`",
            joint.name,
            joint.kind.name()
        )));
    }
    let mut all = asked.to_vec();
    for request in asked {
        let name = request.function.declaration().name;
        for rule in RULES.iter().filter(|rule| rule.of == name) {
            let needed = [(rule.jacobian, rule.jacobian), (rule.reverse, rule.reverse), (rule.second, rule.hessian)];
            for (name, function) in needed {
                if all.iter().any(|other| other.name == name) {
                    continue;
                }
                let function = dtau::function(function).and_then(|f| f.with(&dtau::Parameters::default()));
                let function = function.map_err(|error| Refusal(error.to_string()))?;
                all.push(Request { name: name.into(), function });
            }
        }
    }
    Ok(all)
}

/// Writes a module that was recorded from [`requests`]: one file of C, to be compiled as a shared object.
pub fn write(module: &Module) -> c::Files {
    let prefix = identifier(&module.robot);
    let plain = format!("{prefix}_plain");
    let style = Style { precision: Precision::F64, side_by_side: None };
    let (module, seconds) = with_hessians(module);
    let module = &module;
    let files = c::write_named(module, style, &plain);
    let mut source = format!(
        "/* External functions for CasADi: casadi.external(\"{prefix}_NAME\", \"./{prefix}.so\")\n \
         * Compile: cc -std=c99 -O2 -march=native -fno-math-errno -shared -fPIC -o {prefix}.so {prefix}.c -lm */\n"
    );
    source += &files.header;
    source.push('\n');
    source += &files.source.replace(&format!("#include \"{plain}.h\"\n"), "");
    source += EXPORT;
    for program in module.programs.iter().filter(|program| RULES.iter().all(|rule| rule.second != program.name)) {
        let one = External { module, plain: &plain, name: format!("{prefix}_{}", identifier(&program.name)) };
        one.function(program, &mut source);
        let Some(rule) = RULES.iter().find(|rule| rule.of == program.name) else { continue };
        let named = |name: &str| module.programs.iter().find(|p| p.name == name);
        if let Some(jacobian) = named(rule.jacobian) {
            one.derivative("jac", program, jacobian, 1, &mut source);
        }
        if let Some(reverse) = named(rule.reverse) {
            one.derivative("adj1", program, reverse, 0, &mut source);
        }
        if let Some((_, hessian)) = seconds.iter().find(|(name, _)| *name == rule.second) {
            one.second(hessian, &mut source);
        }
    }
    let header = format!("/* {prefix}.c has external functions for CasADi; they need no header. */\n");
    c::Files { prefix, header, source }
}

/// The module with Hessians and Jacobians in one program each, and what their outputs are.
fn with_hessians(module: &Module) -> (Module, Vec<(&'static str, Hessian)>) {
    let (mut module, mut seconds) = (module.clone(), Vec::new());
    for rule in &RULES {
        let place = |name: &str| module.programs.iter().position(|p| p.name == name);
        if let (Some(second), Some(jacobian)) = (place(rule.second), place(rule.jacobian)) {
            let hessian = hessian::join(&module.programs[second], &module.programs[jacobian]);
            module.programs[second] = hessian.program.clone();
            seconds.push((rule.second, hessian));
        }
    }
    (module, seconds)
}

const EXPORT: &str = "
#if defined(_WIN32)
#define DTAU_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define DTAU_EXPORT __attribute__((visibility(\"default\")))
#else
#define DTAU_EXPORT
#endif

/* An argument that is not given is zero. */
DTAU_CALL const double *dtau_given(const double *x, double *zeros, int n)
{
    if (x) return x;
    for (int k = 0; k < n; k++) zeros[k] = 0;
    return zeros;
}

/* a = a^T, n x n. */
DTAU_CALL void dtau_transpose(double *a, int n)
{
    for (int c = 0; c < n; c++)
        for (int r = 0; r < c; r++) {
            const double x = a[c * n + r];
            a[c * n + r] = a[r * n + c];
            a[r * n + c] = x;
        }
}
";

struct External<'a> {
    module: &'a Module,
    plain: &'a str,
    /// Of the function in CasADi.
    name: String,
}

impl External<'_> {
    /// The function itself, and what CasADi asks about it.
    fn function(&self, program: &Program, source: &mut String) {
        let (from, to) = ((0..program.inputs.len()).collect(), (0..program.outputs.len()).map(Some).collect());
        let places =
            Places { inputs: program.inputs.len(), from, outputs: program.outputs.len(), to, turned: Vec::new() };
        self.entry(&self.name, program, &places, source);
        let name = &self.name;
        let (inputs, outputs) = (&program.inputs, &program.outputs);
        for (what, arrays) in [("in", inputs), ("out", outputs)] {
            declare(source, &format!("long long {name}_n_{what}(void)"));
            let _ = writeln!(source, "{{\n    return {};\n}}", arrays.len());
            declare(source, &format!("const char *{name}_name_{what}(long long i)"));
            source.push_str("{\n    switch (i) {\n");
            for (k, array) in arrays.iter().enumerate() {
                let _ = writeln!(source, "    case {k}: return \"{}\";", array.name);
            }
            source.push_str("    default: return 0;\n    }\n}\n");
            declare(source, &format!("const long long *{name}_sparsity_{what}(long long i)"));
            source.push_str("{\n");
            let shapes: Vec<String> = arrays.iter().map(|a| format!("{{{}, {}, 1}}", a.shape.0, a.shape.1)).collect();
            let n = arrays.len();
            let _ = writeln!(source, "    static const long long dense[{n}][3] = {{{}}};", shapes.join(", "));
            let _ = writeln!(source, "    return i >= 0 && i < {n} ? dense[i] : 0;\n}}");
        }
    }

    /// A derivative: after the function's inputs come its results, which are not needed, and then what is multiplied. Of what `by`
    /// computes, the results before `first` are not asked for.
    fn derivative(&self, kind: &str, of: &Program, by: &Program, first: usize, source: &mut String) {
        let own = of.inputs.len();
        let place = |k: usize| if k < own { k } else { k + of.outputs.len() };
        let places = Places {
            inputs: of.outputs.len() + by.inputs.len(),
            from: (0..by.inputs.len()).map(place).collect(),
            outputs: by.outputs.len() - first,
            to: (0..by.outputs.len()).map(|k| k.checked_sub(first)).collect(),
            turned: Vec::new(),
        };
        self.entry(&format!("{kind}_{}", self.name), by, &places, source);
    }

    /// The Hessian: what the reverse product takes and its results, which are not needed.
    fn second(&self, hessian: &Hessian, source: &mut String) {
        let (name, n) = (format!("jac_adj1_{}", self.name), self.module.model.nv());
        let places = Places {
            inputs: hessian::INPUTS,
            from: vec![0, 1, 2, 4],
            outputs: hessian::OUTPUTS,
            to: hessian.blocks.iter().map(|block| Some(block.place)).collect(),
            turned: hessian.blocks.iter().filter(|block| block.turn).map(|block| block.place).collect(),
        };
        self.entry(&name, &hessian.program, &places, source);
        declare(source, &format!("const long long *{name}_sparsity_out(long long i)"));
        source.push_str("{\n");
        hessian.sparsities(n, source);
        source.push_str("}\n");
    }

    /// Calls the plain function of a program; results that nobody wants, and arguments that nobody gave, are in the work vector.
    fn entry(&self, name: &str, program: &Program, places: &Places, source: &mut String) {
        declare(source, &format!("int {name}(const double **arg, double **res, long long *iw, double *w, int mem)"));
        source.push_str("{\n    (void)iw;\n    (void)mem;\n");
        let len = |array: &Array| array.len().max(1);
        let (mut arguments, mut at) = (Vec::new(), 0);
        if self.module.numbers == Numbers::Table {
            arguments.push(format!("{}_table", self.plain));
        }
        for (array, place) in program.inputs.iter().zip(&places.from) {
            arguments.push(format!("dtau_given(arg[{place}], w + {at}, {})", array.len()));
            at += len(array);
        }
        for (array, place) in program.outputs.iter().zip(&places.to) {
            arguments.push(match place {
                Some(k) => format!("res[{k}] ? res[{k}] : w + {at}"),
                None => format!("w + {at}"),
            });
            at += len(array);
        }
        let plain = format!("{}_{}", self.plain, identifier(&program.name));
        let _ = writeln!(source, "    const int status = {plain}({});", arguments.join(",\n        "));
        for place in &places.turned {
            let _ = writeln!(source, "    if (res[{place}]) dtau_transpose(res[{place}], {});", self.module.model.nv());
        }
        source.push_str("    return status;\n}\n");
        declare(
            source,
            &format!("int {name}_work(long long *sz_arg, long long *sz_res, long long *sz_iw, long long *sz_w)"),
        );
        let _ = writeln!(
            source,
            "{{\n    if (sz_arg) *sz_arg = {};\n    if (sz_res) *sz_res = {};\n    if (sz_iw) *sz_iw = 0;\n    \
             if (sz_w) *sz_w = {at};\n    return 0;\n}}",
            places.inputs, places.outputs
        );
    }
}

/// How an external function and the program behind it belong together.
struct Places {
    /// How many the external function takes,
    inputs: usize,
    /// which of them the program's inputs are,
    from: Vec<usize>,
    /// how many it gives,
    outputs: usize,
    /// and which of these the program's outputs are, if any.
    to: Vec<Option<usize>>,
    /// Those to be transposed at the end.
    turned: Vec<usize>,
}

/// A declaration and the beginning of a definition.
fn declare(source: &mut String, what: &str) {
    let _ = write!(source, "\nDTAU_EXPORT {what};\nDTAU_EXPORT {what}\n");
}
