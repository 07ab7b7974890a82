//! Limbs of one shape, side by side in SIMD lanes: the legs of a quadruped take as many instructions as one leg.
//!
//! ```text
//! find      children of one body whose subtrees have the same joints are limbs of a class             (1)
//! pattern   a number is structure only if it is the same 0 or ±1 in all limbs                          (2)
//! turn      σ renames limb a to a + 1: of inputs, of parameters, and so of every value                 (3)
//! pack      values v, σv, σ²v, … become one value of all lanes                                         (4)
//! ```
//!
//! Equal values are on the tape once, so (3) is a look-up. A value that depends on several limbs, such as M⁻¹
//! between two, gets numbers of other limbs by rotating registers. Sums over limbs are computed in the
//! original order. A value that depends on all limbs belongs to the trunk. No rounding changes.

use crate::program::{Op, Value};
use crate::subject::Subject;
use core::ops::Range;
use dtau::model::{Constant, FrameId, OfConstraint, Tree};
use std::collections::{BTreeMap, HashMap};

/// Lanes of a register of `f64`.
pub(crate) const LANES: usize = 4;
/// Limit of limbs of a robot: each has one bit of a set.
const MOST: usize = 32;

/// Limbs, class by class.
#[derive(Clone, Debug)]
pub struct Limbs {
    /// The bodies of each limb, in corresponding order within a class.
    bodies: Vec<Vec<usize>>,
    /// For every limb: the first limb of its class, and the number of limbs in the class.
    class: Vec<(usize, usize)>,
    /// For every body of the tree: its limb and its place there.
    of_body: Vec<Option<(usize, usize)>>,
    /// For every coordinate and every degree of freedom: its body, and its index within the body.
    of_q: Vec<(usize, usize)>,
    of_v: Vec<(usize, usize)>,
    /// First coordinate and first degree of freedom of every body.
    starts: Vec<(usize, usize)>,
    /// σ of every constraint, and its limb. `None` for constraints of the trunk, and if some limb has no
    /// corresponding constraint.
    of_constraint: Vec<Option<(usize, usize)>>,
    /// Rows of every constraint.
    rows: Vec<Range<usize>>,
}

impl Limbs {
    /// (1): finds the limbs. Classes that cover most bodies come first. `None` if joints mimic others,
    /// because that couples limbs.
    pub fn of<'a>(of: impl Into<Subject<'a>>) -> Option<Limbs> {
        let of: Subject<'_> = of.into();
        let model = of.model;
        if model.mimic().is_some() {
            return None;
        }
        let tree = model.tree();
        let codes = codes(tree);
        let mut classes: Vec<Vec<usize>> = Vec::new();
        for parent in 0..tree.bodies.len() {
            let mut alike: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            for i in (1..tree.bodies.len()).filter(|&i| tree.bodies[i].parent == parent && i != parent) {
                alike.entry(&codes[i]).or_default().push(i);
            }
            // Limbs beyond the lanes go to the trunk.
            classes.extend(alike.into_values().filter(|limbs| limbs.len() > 1).map(|mut limbs| {
                limbs.truncate(LANES);
                limbs
            }));
        }
        let size = |limbs: &[usize]| limbs.iter().map(|&i| tree.bodies[i].bodies_end - i).sum::<usize>();
        classes.sort_by_key(|limbs| (core::cmp::Reverse(size(limbs)), limbs[0]));
        let (mut bodies, mut class): (Vec<Vec<usize>>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
        for limbs in classes {
            // Limbs within a limb are part of it.
            let is_taken = |root: usize| bodies.iter().any(|limb| limb.contains(&root));
            if limbs.iter().any(|&root| is_taken(root)) || bodies.len() + limbs.len() > MOST {
                continue;
            }
            let (first, count) = (bodies.len(), limbs.len());
            class.extend(core::iter::repeat_n((first, count), count));
            bodies.extend(limbs.iter().map(|&root| in_order(tree, &codes, root)));
        }
        if bodies.is_empty() {
            return None;
        }
        let mut of_body = vec![None; tree.bodies.len()];
        for (limb, bodies) in bodies.iter().enumerate() {
            for (place, &body) in bodies.iter().enumerate() {
                of_body[body] = Some((limb, place));
            }
        }
        let (mut of_q, mut of_v) = (Vec::new(), Vec::new());
        for (i, body) in tree.bodies.iter().enumerate() {
            of_q.extend((0..body.q.len()).map(|k| (i, k)));
            of_v.extend((0..body.v.len()).map(|k| (i, k)));
        }
        let starts = tree.bodies.iter().map(|body| (body.q.start, body.v.start)).collect();
        let rows = of.constraints.iter().flat_map(|all| all.iter()).map(|item| item.rows()).collect();
        let mut limbs = Limbs { bodies, class, of_body, of_q, of_v, starts, of_constraint: Vec::new(), rows };
        limbs.of_constraint = limbs.next_constraints(of);
        Some(limbs)
    }

    /// Returns σ of a body, and its limb.
    fn next(&self, body: usize) -> Option<(usize, usize)> {
        let (limb, place) = self.of_body[body]?;
        let (first, count) = self.class[limb];
        Some((self.bodies[first + (limb - first + 1) % count][place], limb))
    }

    /// Returns σ of constraints: it maps to the constraint in the same order, with the same rows, on
    /// corresponding bodies.
    fn next_constraints(&self, of: Subject<'_>) -> Vec<Option<(usize, usize)>> {
        let Some(constraints) = of.constraints else { return Vec::new() };
        let body = |frame: Option<FrameId>| frame.and_then(|frame| of.model.carrier(frame)).map_or(0, |(body, _)| body);
        let turn = |body: usize| self.next(body).map_or(body, |(next, _)| next);
        let mut all: Vec<([usize; 2], Vec<OfConstraint>, usize)> = Vec::new();
        let numbers = constraints.constants();
        for (i, item) in constraints.iter().enumerate() {
            let of_item = |&(which, _): &(Constant, f64)| match which {
                Constant::Constraint(k, which) if k == i => Some(which),
                _ => None,
            };
            let (bodies, which) =
                ([body(item.frame()), body(item.other())], numbers.iter().filter_map(of_item).collect());
            let before = all.iter().filter(|(others, _, _)| *others == bodies).count();
            all.push((bodies, which, before));
        }
        let next = |i: usize| {
            let (bodies, which, before) = &all[i];
            let limb = bodies.iter().find_map(|&body| self.of_body[body]).map(|(limb, _)| limb)?;
            let to = (bodies.map(turn), which.clone(), *before);
            all.iter().position(|other| *other == to).map(|place| (place, limb))
        };
        // Keeps constraints for which σ is a cycle through all limbs.
        let is_circle = |i: usize| {
            let count = next(i).map(|(_, limb)| self.class[limb].1)?;
            let mut at = i;
            for step in 1..=count {
                at = next(at)?.0;
                if (at == i) != (step == count) {
                    return None;
                }
            }
            next(i)
        };
        (0..all.len()).map(is_circle).collect()
    }

    /// True if all limbs of a set belong to classes of four.
    fn all_of_four(&self, set: u32) -> bool {
        self.class.iter().enumerate().all(|(limb, &(_, count))| set >> limb & 1 == 0 || count == LANES)
    }

    /// Removes complete classes from a set: a value that depends on all limbs of a class belongs to the trunk.
    fn met(&self, mut set: u32) -> u32 {
        for &(first, count) in &self.class {
            let all = ((1_u64 << count) - 1) << first;
            if u64::from(set) & all == all {
                set &= !(all as u32);
            }
        }
        set
    }

    /// Returns σ of a number of the robot, and its limb. `None` for numbers of the trunk.
    pub(crate) fn next_constant(&self, which: Constant) -> Option<(Constant, usize)> {
        let body = |i: usize, to: &dyn Fn(usize) -> Constant| self.next(i).map(|(i, limb)| (to(i), limb));
        let dof = |k: usize, to: &dyn Fn(usize) -> Constant| {
            let (i, at) = self.of_v[k];
            self.next(i).map(|(i, limb)| (to(self.starts[i].1 + at), limb))
        };
        match which {
            Constant::Gravity(_) | Constant::Frame(..) => None,
            Constant::Constraint(i, k) => {
                self.of_constraint.get(i).copied().flatten().map(|(i, limb)| (Constant::Constraint(i, k), limb))
            }
            Constant::Placement(i, k) => body(i, &|i| Constant::Placement(i, k)),
            Constant::Mass(i) => body(i, &Constant::Mass),
            Constant::FirstMoment(i, k) => body(i, &|i| Constant::FirstMoment(i, k)),
            Constant::Inertia(i, k) => body(i, &|i| Constant::Inertia(i, k)),
            Constant::Com(i, k) => body(i, &|i| Constant::Com(i, k)),
            Constant::AboutCom(i, k) => body(i, &|i| Constant::AboutCom(i, k)),
            Constant::Joint(i, k) => body(i, &|i| Constant::Joint(i, k)),
            Constant::Armature(k) => dof(k, &Constant::Armature),
            Constant::Damping(k) => dof(k, &Constant::Damping),
            Constant::Friction(k) => dof(k, &Constant::Friction),
            Constant::Stiffness(k) => dof(k, &Constant::Stiffness),
            Constant::Rest(k) => dof(k, &Constant::Rest),
        }
    }

    /// Returns σ of an entry of an input with `len` numbers, and its limb.
    fn next_input(&self, len: usize, k: usize) -> Option<(usize, usize)> {
        // If there are as many coordinates as degrees of freedom, both have the same numbering.
        let by_dof = len == self.of_v.len();
        if !by_dof && len != self.of_q.len() {
            return None;
        }
        let (body, at) = if by_dof { self.of_v[k] } else { self.of_q[k] };
        self.next(body).map(|(body, limb)| {
            let (q, v) = self.starts[body];
            (if by_dof { v } else { q } + at, limb)
        })
    }

    /// Returns σ of a number of the solution, and its limb. The numbers are those of every degree of freedom,
    /// then those of every constraint row.
    fn next_found(&self, k: usize) -> Option<(usize, usize)> {
        let dofs = self.of_v.len();
        if k < dofs {
            return self.next_input(dofs, k);
        }
        let item = self.rows.iter().position(|rows| rows.contains(&(k - dofs)))?;
        let (next, limb) = self.of_constraint[item]?;
        Some((k + self.rows[next].start - self.rows[item].start, limb))
    }

    /// Returns a number of the robot, and its counterparts in the other limbs.
    pub(crate) fn each(&self, which: Constant) -> impl Iterator<Item = Constant> {
        let mut at = Some(which);
        core::iter::from_fn(move || {
            let now = at?;
            at = self.next_constant(now).map(|(next, _)| next).filter(|&next| next != which);
            Some(now)
        })
    }

    /// (2): true if a number has the same value in all limbs.
    pub(crate) fn agree(&self, which: Constant, value: &HashMap<Constant, f64>) -> bool {
        self.each(which).all(|other| value.get(&other) == Some(&value[&which]))
    }
}

/// Returns a code for the shape of each subtree: its joint, and its children's codes, sorted.
fn codes(tree: &Tree) -> Vec<String> {
    let mut codes = vec![String::new(); tree.bodies.len()];
    for i in (1..tree.bodies.len()).rev() {
        let children = sorted_children(tree, &codes, i);
        let joint = format!("{:?}", tree.bodies[i].joint);
        let joint = joint.split('(').next().unwrap_or_default().to_string();
        let children: Vec<&str> = children.iter().map(|&c| codes[c].as_str()).collect();
        codes[i] = format!("({joint} {})", children.join(""));
    }
    codes
}

fn sorted_children(tree: &Tree, codes: &[String], i: usize) -> Vec<usize> {
    let mut children: Vec<usize> = (i + 1..tree.bodies[i].bodies_end).filter(|&c| tree.bodies[c].parent == i).collect();
    children.sort_by(|&a, &b| codes[a].cmp(&codes[b]));
    children
}

/// Returns the bodies of a limb, with corresponding bodies at the same place.
fn in_order(tree: &Tree, codes: &[String], root: usize) -> Vec<usize> {
    let (mut out, mut open) = (Vec::new(), vec![root]);
    while let Some(i) = open.pop() {
        out.push(i);
        open.extend(sorted_children(tree, codes, i).into_iter().rev());
    }
    out
}

/// Recording, as needed for packing.
pub(crate) struct Recording<'a> {
    pub(crate) values: &'a [Op],
    /// Finds an operation on the tape.
    pub(crate) find: &'a dyn Fn(&Op) -> Option<Value>,
    /// Meaning of each parameter.
    pub(crate) constants: &'a [Constant],
    /// Lengths of the inputs.
    pub(crate) inputs: &'a [usize],
    /// True for values that are used.
    pub(crate) used: &'a [bool],
    /// True for values that are entries of outputs.
    pub(crate) is_result: &'a [bool],
}

/// Result of packing.
pub(crate) struct Packed {
    pub(crate) values: Vec<Op>,
    pub(crate) gathers: Vec<Vec<Value>>,
    /// New place of each scalar value.
    pub(crate) to: Vec<Value>,
    /// New place of each value in a lane: the wide value, the lane, the number of lanes.
    pub(crate) lane: Vec<Option<(Value, usize, usize)>>,
}

/// Value in a lane.
#[derive(Clone, Copy)]
struct Member {
    tuple: usize,
    lane: usize,
}

/// (3) and (4): packs values of limbs into lanes.
pub(crate) fn pack(limbs: &Limbs, recording: &Recording<'_>) -> Packed {
    let n = recording.values.len();
    let (next, sets) = turn(limbs, recording);

    // (4)
    let mut before: Vec<Option<Value>> = vec![None; n];
    for v in (0..n).filter(|&v| recording.used[v] && sets[v] != 0) {
        if let Some(image) = next[v] {
            before[image as usize] = Some(v as Value);
        }
    }
    let mut member: Vec<Option<Member>> = vec![None; n];
    let mut tuples: Vec<Vec<Value>> = Vec::new();
    for v in (0..n).filter(|&v| recording.used[v]) {
        if member[v].is_some() || sets[v] == 0 {
            continue;
        }
        let tuple = if sets[v].is_power_of_two() {
            of_one_limb(v as Value, &next, &sets, &limbs.class)
        } else {
            of_several(v as Value, &next, &before, recording.used)
        };
        // For values of several limbs: register rotation supports only four limbs, and values outside lanes
        // would need a gather.
        let fits = sets[v].is_power_of_two()
            || limbs.all_of_four(sets[v])
                && recording.values[v].operands().all(|w| sets[w as usize] == 0 || member[w as usize].is_some());
        if fits && tuple.len() >= 2 && tuple.iter().all(|&value| recording.used[value as usize]) {
            for (lane, &value) in tuple.iter().enumerate() {
                member[value as usize] = Some(Member { tuple: tuples.len(), lane });
            }
            tuples.push(tuple);
        }
    }
    rebuild(recording, &member, &tuples)
}

/// (4) for values of one limb: lane k is limb k. Empty if the value is missing in a limb.
fn of_one_limb(v: Value, next: &[Option<Value>], sets: &[u32], class: &[(usize, usize)]) -> Vec<Value> {
    let (first, count) = class[sets[v as usize].trailing_zeros() as usize];
    let mut tuple = vec![Value::MAX; count];
    let mut at = Some(v);
    for _ in 0..count {
        let Some(value) = at.filter(|&value| sets[value as usize].is_power_of_two()) else { break };
        tuple[sets[value as usize].trailing_zeros() as usize - first] = value;
        at = next[value as usize];
    }
    if tuple.contains(&Value::MAX) { Vec::new() } else { tuple }
}

/// (4) for values of several limbs, such as M⁻¹ between two. Starts at a value without predecessor.
fn of_several(v: Value, next: &[Option<Value>], before: &[Option<Value>], used: &[bool]) -> Vec<Value> {
    let mut first = v;
    while let Some(earlier) = before[first as usize] {
        first = earlier;
        if first == v {
            break; // the cycle is complete
        }
    }
    let mut tuple = vec![first];
    while let Some(later) = next[tuple[tuple.len() - 1] as usize].filter(|&later| used[later as usize]) {
        if later == first || tuple.len() == LANES {
            break;
        }
        tuple.push(later);
    }
    tuple
}

/// (3): returns σ of every value, and the limbs it depends on. Values of no limb or of all limbs belong to the trunk.
fn turn(limbs: &Limbs, recording: &Recording<'_>) -> (Vec<Option<Value>>, Vec<u32>) {
    let n = recording.values.len();
    let place: HashMap<Constant, u32> =
        recording.constants.iter().enumerate().map(|(p, &constant)| (constant, p as u32)).collect();
    let (mut next, mut sets) = (vec![None; n], vec![0; n]);
    for (v, op) in recording.values.iter().enumerate() {
        let own = Some(v as Value);
        (next[v], sets[v]) = match *op {
            Op::Constant(_) => (own, 0),
            Op::Parameter(p) => match limbs.next_constant(recording.constants[p as usize]) {
                None => (own, 0),
                Some((constant, limb)) => {
                    let image = place.get(&constant).and_then(|&p| (recording.find)(&Op::Parameter(p)));
                    (image, 1 << limb)
                }
            },
            Op::Input(array, k) => {
                let next = match recording.inputs.get(array as usize) {
                    Some(&len) => limbs.next_input(len, k as usize),
                    None => limbs.next_found(k as usize),
                };
                match next {
                    None => (own, 0),
                    Some((k, limb)) => ((recording.find)(&Op::Input(array, k as u32)), 1 << limb),
                }
            }
            _ => {
                let set = op.operands().fold(0, |set, operand| set | sets[operand as usize]);
                let mut known = true;
                let image = op.map(|operand| {
                    let image = next[operand as usize];
                    known &= image.is_some();
                    image.unwrap_or_default()
                });
                let image = if !known {
                    None
                } else if image == *op {
                    own
                } else {
                    (recording.find)(&image)
                };
                (image, limbs.met(set))
            }
        };
        if sets[v] == 0 {
            next[v] = own; // values of the trunk map to themselves
        }
    }
    (next, sets)
}

/// Rewrites the values, with each tuple as one value.
fn rebuild(recording: &Recording<'_>, member: &[Option<Member>], tuples: &[Vec<Value>]) -> Packed {
    let n = recording.values.len();
    let mut out = Packed { values: Vec::new(), gathers: Vec::new(), to: vec![Value::MAX; n], lane: vec![None; n] };
    let mut wide: Vec<Option<Value>> = vec![None; tuples.len()];
    let mut splats: HashMap<Value, Value> = HashMap::new();
    let mut turned: HashMap<(Value, usize), Value> = HashMap::new();
    let put = |values: &mut Vec<Op>, op: Op| {
        values.push(op);
        (values.len() - 1) as Value
    };
    for v in (0..n).filter(|&v| recording.used[v]) {
        let op = recording.values[v];
        let leaf = matches!(op, Op::Constant(_) | Op::Parameter(_) | Op::Input(..) | Op::Sin(_) | Op::Cos(_));
        if leaf || member[v].is_none() {
            // A scalar. The limbs' numbers it needs are taken from lanes.
            for operand in op.operands() {
                let Some(Member { tuple, lane }) =
                    member[operand as usize].filter(|_| out.to[operand as usize] == Value::MAX)
                else {
                    continue;
                };
                let packed = wide[tuple].expect("packed before it is needed");
                out.to[operand as usize] = put(&mut out.values, Op::Lane(packed, lane as u32));
            }
            let op = op.map(|operand| out.to[operand as usize]);
            out.to[v] = put(&mut out.values, op);
            continue;
        }
        let Some(Member { tuple, .. }) = member[v] else { continue };
        if wide[tuple].is_some() {
            continue;
        }
        let first = recording.values[tuples[tuple][0] as usize];
        let mut operand_of = |operand: Value| match member[operand as usize] {
            Some(Member { tuple, lane }) => {
                let from = wide_of(recording, tuple, tuples, &mut wide, &mut out);
                // The first lane's operand is in lane `lane` of its tuple, and the other lanes' operands
                // follow in order.
                if lane == 0 {
                    return from;
                }
                *turned.entry((from, lane)).or_insert_with(|| put(&mut out.values, Op::Turn(from, lane as u32)))
            }
            None => {
                let from = out.to[operand as usize];
                *splats.entry(from).or_insert_with(|| put(&mut out.values, Op::Splat(from)))
            }
        };
        let packed = first.map(&mut operand_of);
        let packed = put(&mut out.values, packed);
        wide[tuple] = Some(packed);
        for (lane, &v) in tuples[tuple].iter().enumerate() {
            out.lane[v as usize] = Some((packed, lane, tuples[tuple].len()));
            if recording.is_result[v as usize] {
                out.to[v as usize] = put(&mut out.values, Op::Lane(packed, lane as u32));
            }
        }
    }
    out
}

/// Returns a tuple as one value. Leaves are gathered at their first use.
fn wide_of(
    recording: &Recording<'_>,
    tuple: usize,
    tuples: &[Vec<Value>],
    wide: &mut [Option<Value>],
    out: &mut Packed,
) -> Value {
    if let Some(value) = wide[tuple] {
        return value;
    }
    // Leaves of later limbs may not have been written yet.
    let leaves: Vec<Value> = tuples[tuple].iter().map(|&v| write_leaf(recording, v, out)).collect();
    out.gathers.push(leaves);
    out.values.push(Op::Gather((out.gathers.len() - 1) as u32));
    let value = (out.values.len() - 1) as Value;
    wide[tuple] = Some(value);
    value
}

fn write_leaf(recording: &Recording<'_>, v: Value, out: &mut Packed) -> Value {
    if out.to[v as usize] != Value::MAX {
        return out.to[v as usize];
    }
    let op = recording.values[v as usize];
    for operand in op.operands() {
        write_leaf(recording, operand, out);
    }
    out.values.push(op.map(|operand| out.to[operand as usize]));
    out.to[v as usize] = (out.values.len() - 1) as Value;
    out.to[v as usize]
}
