"""Terms of the whole tensors of second derivatives, for `plant.py`."""

# Quick ones first; the first that fails is told.
TESTS = [
    "second_order::the_tensors_of_id_times_a_covector_are_the_hessian",
    "second_order::the_tensors_of_fd_times_a_covector_are_the_hessian",
    "second_order::the_tensors_of_id_are_those_of_hyper_dual_numbers",
    "every_function::every_derivative_is_the_complex_step_derivative_of_its_function",
]

TENSOR = "derivatives/second/tensor.rs"
TRIPLES = "derivatives/second/triples.rs"
TERMS = [
    # What a direction is.
    (TENSOR, "let t1 = I * S;", "I * S"),
    (TENSOR, "let t2 = B.mul_add(S.ang, I * rate);", "S.ang"),
    (TENSOR, "let t2 = B.mul_add(S.ang, I * rate); ", "I * rate"),
    (TENSOR, "let t3 = B.mul_add(psi_dot.ang, S.cross_force_add(f, I * psi_ddot));", "psi_dot.ang"),
    (TENSOR, "let t3 = B.mul_add(psi_dot.ang, S.cross_force_add(f, I * psi_ddot)); ", "I * psi_ddot"),
    (TENSOR, "let L = Coriolis::of_body(&I, S, t1);", "t1"),
    (TENSOR, "let seen = Coriolis::of_body(&I, psi_dot, I * psi_dot);", "I * psi_dot"),
    (TENSOR, "*row = Row { S, t1, t4: B.tr_mul(S), L };", "B.tr_mul(S)"),
    (TENSOR, "let t3 = -id.stiffness[dof.body].behind(bodies.S.get(c));", "bodies.S.get(c)"),
    (TENSOR, "vv[at] += effects.friction_curvature::<T>(tree, k, v[k]);", "effects.friction_curvature::<T>(tree, k, v[k])"),
    (TENSOR, "let mean = (*a + *b) * half;", "*b"),
    # How inertias change.
    ("spatial/carried.rs", "Self { h: S.ang.cross_add(h, s * I.mass), rot }", "s * I.mass"),
    ("spatial/carried.rs", "Self { h: S.ang.cross_add(h, s * I.mass), rot } ", "S.ang"),
    ("spatial/carried.rs", "let (x, y, z) = (s.x * h.x, s.y * h.y, s.z * h.z);", "s.x * h.x"),
    ("spatial/carried.rs", "xy: a.y + b.x - s.x.mul_add(h.y, s.y * h.x),", "s.x.mul_add(h.y, s.y * h.x)"),
    ("spatial/carried.rs", "xz: a.z + c.x - s.x.mul_add(h.z, s.z * h.x),", "a.z"),
    ("spatial/carried.rs", "yz: b.z + c.y - s.y.mul_add(h.z, s.z * h.y),", "c.y"),
    ("spatial/carried.rs", "let ang = self.h.cross_add(x.lin, self.rot.mul_add(x.ang, c.ang));", "x.lin"),
    ("spatial/carried.rs", "Force::new(x.ang.cross_add(self.h, c.lin), ang)", "self.h"),
    ("spatial/carried.rs", "let (ta, tb, tc) = (b * t.z - c * t.y,", "b * t.z"),
    ("spatial/carried.rs", "t.cross_add(a, x - ta - s.cross(pa)),", "s.cross(pa)"),
    ("spatial/carried.rs", "t.cross_add(b, y - tb - s.cross(pb)),", "tb"),
    ("spatial/carried.rs", "t.cross_add(c, z - tc - s.cross(pc)),", "z"),
    ("spatial/carried.rs", "Self { B3, p: t.cross_add(self.p, seen.p) }", "seen.p"),
    ("spatial/carried.rs", "Self { B3, p: t.cross_add(self.p, seen.p) } ", "self.p"),
    # Rows above the deeper direction.
    (TRIPLES, "let qq = B_rate.mul_add(rates.psi_dot.ang, I_rate.mul_add(rates.psi_ddot, zero));", "rates.psi_dot.ang"),
    (TRIPLES, "let qq = B_rate.mul_add(rates.psi_dot.ang, I_rate.mul_add(rates.psi_ddot, zero)); ", "rates.psi_ddot"),
    (TRIPLES, "let qv = L.mul_add(rates.psi_dot.ang, zero);", "rates.psi_dot.ang"),
    (TRIPLES, "let vq = B_rate.mul_add(S.ang, I_rate.mul_add(rates.rate, zero));", "S.ang"),
    (TRIPLES, "let vq = B_rate.mul_add(S.ang, I_rate.mul_add(rates.rate, zero)); ", "rates.rate"),
    (TRIPLES, "let vv = L.mul_add(S.ang, zero);", "S.ang"),
    (TRIPLES, "S.cross_force_add(*t3, qq).to_array(),", "*t3"),
    (TRIPLES, "S.cross_force_add(*t2, qv).to_array(),", "*t2"),
    (TRIPLES, "S.cross_force(*t1).to_array(),", "*t1"),
    (TRIPLES, "I_rate.mul_add(S, zero).to_array(),", "S"),
    (TRIPLES, "x[k] = Register::<T>::pick(bits, x[k], dot::<T>(S, &F.between[k], lane));", "dot::<T>(S, &F.between[k], lane)"),
    (TRIPLES, "dot::<T>(S, qq, lane),", "dot::<T>(S, qq, lane)"),
    (TRIPLES, "dot::<T>(S, qv, lane),", "dot::<T>(S, qv, lane)"),
    (TRIPLES, "dot::<T>(S, &F.above[2], lane),", "dot::<T>(S, &F.above[2], lane)"),
    (TRIPLES, "dot::<T>(S, &F.above[3], lane),", "dot::<T>(S, &F.above[3], lane)"),
    (TRIPLES, "dot::<T>(S, &F.above[5], lane),", "dot::<T>(S, &F.above[5], lane)"),
    # Rows at or below it.
    (TRIPLES, "let u = self.S.cross_force(row.t1);", "row.t1"),
    (TRIPLES, "let y = self.S.ang.cross_add(row.t4, -row.L.tr_mul(self.psi_dot));", "row.t4"),
    (TRIPLES, "let y = self.S.ang.cross_add(row.t4, -row.L.tr_mul(self.psi_dot)); ", "row.L.tr_mul(self.psi_dot)"),
    (TRIPLES, "let x = -row.L.tr_mul(self.S);", "row.L.tr_mul(self.S)"),
    (TRIPLES, "let mut out = [dot::<T>(u, &e.psi_ddot, lane), zero", "dot::<T>(u, &e.psi_ddot, lane)"),
    (TRIPLES, "out[2] = dot::<T>(u, &e.rate, lane);", "dot::<T>(u, &e.rate, lane)"),
    (TRIPLES, "out[5] = dot::<T>(u, &e.S, lane);", "dot::<T>(u, &e.S, lane)"),
    (TRIPLES, "out[0] = y[k].mul_add(psi_dot, out[0]);", "y[k]"),
    (TRIPLES, "out[1] = if k == 0 { x[k] * psi_dot } else", "x[k] * psi_dot"),
    (TRIPLES, "out[3] = if k == 0 { x[k] * S } else", "x[k] * S"),
    (TRIPLES, "out[2] = y[k].mul_add(S, out[2]);", "y[k]"),
    # Forward dynamics, and wrenches.
    ("derivatives/second/fd_tensor.rs", "*out = -x; // (5)", "x"),
    ("derivatives/second/fd_tensor.rs", "*x -= y;", "y"),
    ("derivatives/second/stiffness.rs", "let t8 = of_subtree.W.row(theta) + of_subtree.mul(S_r);", "of_subtree.W.row(theta)"),
    ("derivatives/second/stiffness.rs", "let t8 = of_subtree.W.row(theta) + of_subtree.mul(S_r); ", "of_subtree.mul(S_r)"),
    ("derivatives/second/stiffness.rs", "let x = bodies.S.get(e).dot(t8);", "bodies.S.get(e).dot(t8)"),
    ("derivatives/second/stiffness.rs", "qq[(e * n + r) * n + i] -= bodies.S.get(e).dot(t8);", "bodies.S.get(e).dot(t8)"),
]
