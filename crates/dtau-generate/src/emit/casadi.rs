//! CasADi external functions: the same C with the interface that `casadi.external` expects, in one file.
//!
//! ```text
//! int f(const double **arg, double **res, long long *iw, double *w, int mem)     a function of the robot, such as arm6_aba
//! f_n_in, f_n_out, f_name_in, f_name_out, f_sparsity_in, f_sparsity_out, f_work  what it takes and gives
//! jac_f                                    q, v, tau, (qdd)                  → ∂q̈/∂q, ∂q̈/∂v, ∂q̈/∂tau
//! fwd1_f                                   q, v, tau, (qdd), dq, dv, dtau    → J times these
//! adj1_f                                   q, v, tau, (qdd), λ               → Jᵀ λ, in three parts
//! jac_adj1_f                               the same and three not needed     → the Hessian of λᵀ f and Jᵀ, in blocks: see `hessian`
//! ```
//!
//! For `aba` and `rnea` these are the library's own derivatives. For every other function, `jac_f` is derived
//! from its program (`derive.rs`).
//!
//! CasADi differentiates with respect to the numbers of q, the library along tangents. `coordinates` converts
//! if these differ.

mod coordinates;
mod external;
mod hessian;

use super::c::{self, Precision, Style};
use super::identifier;
use crate::derive;
use crate::module::{Module, Request};
use crate::program::{Array, Program};
use crate::table::Refusal;
use coordinates::Coordinates;
use dtau::Size;
use dtau::model::Model;
use external::{Argument, External, Given, Pattern, Wanted, unneeded, whole};
use hessian::Hessian;
use std::fmt::Write;

/// Library functions that are the derivatives of a function.
struct Rule {
    of: &'static str,
    /// Returns the function's own result first, then one matrix for each input.
    jacobian: &'static str,
    forward: &'static str,
    reverse: &'static str,
    /// Returns the gradient of wᵀf by each input, and the blocks qq, qv, vv, qx of its Hessian. x is the third input.
    hessian: &'static str,
}

const RULES: [Rule; 2] = [
    Rule { of: "aba", jacobian: "fd_derivatives", forward: "fd_jvp", reverse: "fd_vjp", hessian: "fd_hessian" },
    Rule { of: "rnea", jacobian: "id_derivatives", forward: "id_jvp", reverse: "id_vjp", hessian: "id_hessian" },
];

/// Returns the program name of a function's derivative.
fn recorded(of: &str, what: &str) -> String {
    format!("{of}_{what}")
}

/// Limit of operations of a derived Jacobian. Longer ones are left out: they are too large for compilers and caches.
const MOST_OPERATIONS: usize = 20_000;

/// Returns the requested functions and their derivatives, for [`Module::record`].
///
/// # Errors
/// Same as the library's list.
pub fn requests(model: &Model, asked: &[Request]) -> Result<Vec<Request>, Refusal> {
    let mut all = asked.to_vec();
    let has_coordinates = coordinates::differ(model);
    for request in asked {
        let name = request.function.declaration().name;
        for rule in RULES.iter().filter(|rule| rule.of == name) {
            let needed = [
                ("jacobian", rule.jacobian),
                ("forward", rule.forward),
                ("reverse", rule.reverse),
                ("hessian", rule.hessian),
            ];
            // Second derivatives by the numbers of q differ from those along tangents.
            for (what, function) in needed.into_iter().filter(|(what, _)| !has_coordinates || *what != "hessian") {
                let function = dtau::function(function).and_then(|f| f.with(&dtau::Parameters::default()));
                let function = function.map_err(|error| Refusal(error.to_string()))?;
                all.push(Request { name: recorded(name, what), function });
            }
        }
    }
    if has_coordinates {
        all.extend(coordinates::requests()?);
    }
    Ok(all)
}

/// True if a program serves only another program's derivatives.
fn is_helper(name: &str) -> bool {
    let of_rule =
        |rule: &Rule| ["jacobian", "forward", "reverse", "hessian"].iter().any(|w| recorded(rule.of, w) == name);
    RULES.iter().any(of_rule) || [coordinates::INTEGRATE, coordinates::NORMALISE, coordinates::NAME].contains(&name)
}

/// Writes a module recorded from [`requests`]: one C file, to be compiled as a shared object.
pub fn write(module: &Module) -> c::Files {
    let prefix = identifier(&module.robot);
    let plain = format!("{prefix}_plain");
    let style = Style { precision: Precision::F64, side_by_side: None };
    let coordinates = coordinates::of(module);
    let Derived { module, hessians, jacobians } = with_derivatives(module, coordinates.as_ref());
    let asked = module.functions.len();
    let unit = c::unit(&module, style, &plain);
    let mut source = format!(
        "/* External functions for CasADi: casadi.external(\"{prefix}_NAME\", \"./{prefix}.so\")\n \
         * Compile: cc -std=c99 -O2 -march=native -fno-math-errno -shared -fPIC -o {prefix}.so {prefix}.c -lm\n"
    );
    // Derived programs come after the requested ones.
    let own = || module.programs[..asked].iter().enumerate().filter(|(_, program)| !is_helper(&program.name));
    for (k, program) in own() {
        let has = if hessians.iter().any(|(of, _)| *of == program.name) {
            "first and second derivatives"
        } else if jacobians.iter().any(|(of, _)| *of == k) {
            "first derivatives"
        } else if RULES.iter().any(|rule| rule.of == program.name) {
            "first derivatives, by the numbers of quaternions of any length"
        } else {
            "no derivatives: its Jacobian would be too long"
        };
        let _ = writeln!(source, " * {prefix}_{}: {has}", identifier(&program.name));
    }
    source.push_str(" */\n");
    source += &format!("{}\n{}{}", unit.header, unit.comment, unit.body);
    source += EXPORT;
    if let Some(coordinates) = &coordinates {
        in_coordinates(coordinates, module.model.nv(), &mut source);
    }
    let external = External { module: &module, plain: &plain, coordinates: coordinates.as_ref() };
    for (k, program) in own() {
        let name = format!("{prefix}_{}", identifier(&program.name));
        let rule = RULES.iter().find(|rule| rule.of == program.name);
        let mut given: Vec<Given> = (0..program.inputs.len()).map(Given::Argument).collect();
        if rule.is_some() && coordinates.is_some() {
            given[0] = Given::Unit;
        }
        let wanted: Vec<Wanted> = (0..program.outputs.len()).map(Wanted::Whole).collect();
        external.entry(&name, program, (given.len(), &given), (wanted.len(), &wanted), &mut source);
        let plain = |arrays: &[Array]| -> Vec<Argument> { arrays.iter().map(|array| whole(array, "")).collect() };
        external.describe(&name, &plain(&program.inputs), &plain(&program.outputs), &mut source);
        if let Some(rule) = rule {
            let second = hessians.iter().find(|(of, _)| *of == rule.of).map(|(_, hessian)| hessian);
            by_rule(&external, rule, &name, program, second, &mut source);
        } else if let Some((_, jacobian)) = jacobians.iter().find(|(of, _)| *of == k) {
            derived(&external, &name, program, &module.programs[*jacobian], &mut source);
        }
    }
    let header = format!("/* {prefix}.c has external functions for CasADi; they need no header. */\n");
    c::Files { prefix, header, source }
}

/// Writes the derivatives that the library has.
fn by_rule(
    external: &External<'_>,
    rule: &Rule,
    name: &str,
    of: &Program,
    second: Option<&Hessian>,
    source: &mut String,
) {
    let named = |what: &str| external.module.programs.iter().find(|p| p.name == recorded(rule.of, what));
    let own = of.inputs.len();
    let map = external.coordinates.map(|coordinates| &coordinates.rows);
    // The derivative takes the function's inputs, then its results (not needed), then the factors of the product.
    let given = |program: &Program| -> Vec<Given> {
        let place = |k: usize| if k < own { k } else { k + of.outputs.len() };
        let given = |k: usize| match map {
            Some(_) if k == 0 => Given::Unit,
            Some(_) if k == own && program.inputs.len() == 2 * own => Given::Along(place(k)),
            _ => Given::Argument(place(k)),
        };
        (0..program.inputs.len()).map(given).collect()
    };
    if let Some(jacobian) = named("jacobian") {
        let mut wanted = vec![Wanted::No];
        let mut shapes = Vec::new();
        for k in 1..jacobian.outputs.len() {
            let pattern = Pattern::of(jacobian, k);
            let pattern = match map {
                Some(rows) if k == 1 => pattern.times(rows),
                _ => pattern,
            };
            shapes.push(pattern.in_full());
            wanted.push(match map {
                Some(_) if k == 1 => Wanted::ByCoordinates(k - 1, pattern),
                _ if pattern.is_dense() => Wanted::Whole(k - 1),
                _ => Wanted::Entries(k - 1, pattern),
            });
        }
        let name = format!("jac_{name}");
        let results = (wanted.len() - 1, &wanted[..]);
        external.entry(&name, jacobian, (own + of.outputs.len(), &given(jacobian)), results, source);
        external.sparsities(&name, "out", &shapes, source);
    }
    if let Some(forward) = named("forward") {
        let inputs = (of.outputs.len() + forward.inputs.len(), &given(forward)[..]);
        let name = format!("fwd1_{name}");
        external.entry(&name, forward, inputs, (1, &[Wanted::Whole(0)]), source);
        // CasADi infers the arguments of the other derivatives. For this one it asks.
        let own = of.inputs.iter().map(|array| whole(array, ""));
        let given = own.chain(of.outputs.iter().map(unneeded)).chain(of.inputs.iter().map(|x| whole(x, "fwd_")));
        external.describe(&name, &given.collect::<Vec<_>>(), &[whole(&of.outputs[0], "fwd_")], source);
    }
    if let Some(reverse) = named("reverse") {
        let mut wanted: Vec<Wanted> = (0..reverse.outputs.len()).map(Wanted::Whole).collect();
        if map.is_some() {
            wanted[0] = Wanted::Gradient(0);
        }
        let inputs = (of.outputs.len() + reverse.inputs.len(), &given(reverse)[..]);
        external.entry(&format!("adj1_{name}"), reverse, inputs, (wanted.len(), &wanted), source);
    }
    if let Some(hessian) = second {
        let name = format!("jac_adj1_{name}");
        let given = [0, 1, 2, 4].map(Given::Argument);
        let of_block = |block: &hessian::Block| match block.turn {
            true => Wanted::Turned(block.place),
            false => Wanted::Whole(block.place),
        };
        let wanted: Vec<Wanted> = hessian.blocks.iter().map(of_block).collect();
        let (inputs, results) = ((hessian::INPUTS, &given[..]), (hessian::OUTPUTS, &wanted[..]));
        external.entry(&name, &hessian.program, inputs, results, source);
        external.sparsities(&name, "out", &hessian.shapes(), source);
    }
}

/// Writes the Jacobian of any other function, with respect to the numbers of its inputs.
fn derived(external: &External<'_>, name: &str, of: &Program, jacobian: &Program, source: &mut String) {
    let name = format!("jac_{name}");
    let patterns: Vec<Pattern> = (0..jacobian.outputs.len()).map(|k| Pattern::of(jacobian, k)).collect();
    let wanted: Vec<Wanted> = (patterns.iter().enumerate())
        .map(|(k, pattern)| match pattern.is_dense() {
            true => Wanted::Whole(k),
            false => Wanted::Entries(k, pattern.clone()),
        })
        .collect();
    let given: Vec<Given> = (0..of.inputs.len()).map(Given::Argument).collect();
    let inputs = of.inputs.len() + of.outputs.len();
    external.entry(&name, jacobian, (inputs, &given), (wanted.len(), &wanted), source);
    let shapes: Vec<Vec<usize>> = patterns.iter().map(Pattern::in_full).collect();
    external.sparsities(&name, "out", &shapes, source);
}

/// Module with the programs of derivatives.
struct Derived {
    module: Module,
    /// Hessian and Jacobian in one program, by the function's name.
    hessians: Vec<(&'static str, Hessian)>,
    /// Derived Jacobians: index of the function's program, and of the Jacobian's.
    jacobians: Vec<(usize, usize)>,
}

fn with_derivatives(module: &Module, coordinates: Option<&Coordinates>) -> Derived {
    let (mut module, mut hessians, mut jacobians) = (module.clone(), Vec::new(), Vec::new());
    for rule in &RULES {
        let place = |what: &str| module.programs.iter().position(|p| p.name == recorded(rule.of, what));
        if let (Some(second), Some(jacobian)) = (place("hessian"), place("jacobian")) {
            let hessian = hessian::join(&module.programs[second], &module.programs[jacobian]);
            module.programs[second] = hessian.program.clone();
            hessians.push((rule.of, hessian));
        }
    }
    let kept = |name: &str| ![coordinates::INTEGRATE, coordinates::NORMALISE].contains(&name);
    let (programs, functions) = (core::mem::take(&mut module.programs), core::mem::take(&mut module.functions));
    (module.programs, module.functions) =
        programs.into_iter().zip(functions).filter(|(program, _)| kept(&program.name)).unzip();
    for k in 0..module.functions.len() {
        let program = &mut module.programs[k];
        if is_helper(&program.name) || RULES.iter().any(|rule| rule.of == program.name) {
            continue;
        }
        if let Some(coordinates) = coordinates.filter(|_| program.products.is_empty()) {
            let inputs = module.functions[k].declaration().inputs;
            let is_configuration: Vec<bool> = inputs.iter().map(|arg| arg.size == Size::Nq).collect();
            *program = coordinates.before(program, &is_configuration);
        }
        let jacobian = derive::jacobian(program, &format!("{}_by_inputs", program.name));
        if let Some(jacobian) = jacobian.filter(|jacobian| jacobian.operations() <= MOST_OPERATIONS) {
            jacobians.push((k, module.programs.len()));
            module.programs.push(jacobian);
        }
    }
    module.programs.extend(coordinates.map(|coordinates| coordinates.program.clone()));
    Derived { module, hessians, jacobians }
}

/// Writes the map of `coordinates` in C, by its entries.
fn in_coordinates(coordinates: &Coordinates, nv: usize, source: &mut String) {
    let mut first = vec![0];
    for rows in &coordinates.rows {
        first.push(first.last().copied().unwrap_or(0) + rows.len());
    }
    let list = |all: &mut dyn Iterator<Item = &usize>| all.map(usize::to_string).collect::<Vec<_>>().join(", ");
    let text = COORDINATES
        .replace("@FIRST@", &list(&mut first.iter()))
        .replace("@ROWS@", &list(&mut coordinates.rows.iter().flatten()))
        .replace("@NQ@", &coordinates.rows.len().to_string())
        .replace("@NV@", &nv.to_string());
    let _ = write!(source, "{text}");
}

const COORDINATES: &str = "
/* The map T from changes of q to changes along v: where the entries of its columns begin, and their rows. */
static const int dtau_first[@NQ@ + 1] = {@FIRST@}, dtau_row[] = {@ROWS@};

/* v = T dq */
DTAU_CALL void dtau_along(const double *dq, const double *map, double *v)
{
    for (int r = 0; r < @NV@; r++) v[r] = 0;
    for (int c = 0; c < @NQ@; c++)
        for (int k = dtau_first[c]; k < dtau_first[c + 1]; k++) v[dtau_row[k]] += map[k] * dq[c];
}

/* y = T^T g */
DTAU_CALL void dtau_gradient(const double *g, const double *map, double *y)
{
    for (int c = 0; c < @NQ@; c++) {
        y[c] = 0;
        for (int k = dtau_first[c]; k < dtau_first[c + 1]; k++) y[c] += map[k] * g[dtau_row[k]];
    }
}

/* y = a T; a has n rows. */
DTAU_CALL void dtau_by_coordinates(int n, const double *a, const double *map, double *y)
{
    for (int c = 0; c < @NQ@; c++, y += n) {
        for (int r = 0; r < n; r++) y[r] = 0;
        for (int k = dtau_first[c]; k < dtau_first[c + 1]; k++)
            for (int r = 0; r < n; r++) y[r] += map[k] * a[dtau_row[k] * n + r];
    }
}
";

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
