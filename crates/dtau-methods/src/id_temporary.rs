//! Until `idsva_printed` is here.
use crate::TreeState;
use crate::placed::Placed;
use dtau::scalar::Real;
use dtau::spatial::{Force, Motion, Vec3};

pub fn id_derivatives_of_tree<T: Real>(
    state: &TreeState<'_, T>,
    qdd: &[T],
    tau: &mut [T],
    dq: &mut [T],
    dv: &mut [T],
    da: &mut [T],
) {
    let (tree, n) = (state.tree, tau.len());
    let Placed { X, I, S } = Placed::of(state);
    let mut v = vec![Motion::zero()];
    let mut a = vec![Motion::new(-state.gravity, Vec3::zero())];
    for body in tree.bodies.iter().skip(1) {
        let (vp, ap) = (v[body.parent], a[body.parent]);
        let vj = body.v.clone().fold(Motion::zero(), |vj, k| S[k].scale_add(state.v[k], vj));
        let aj = body.v.clone().fold(Motion::zero(), |aj, k| S[k].scale_add(qdd[k], aj));
        v.push(vp + vj);
        a.push(ap + aj + vp.cross(vj));
    }
    let within = |k: usize, i: usize| (i..tree.bodies[i].bodies_end).contains(&k);
    (dq.fill(T::zero()), dv.fill(T::zero()), da.fill(T::zero()), tau.fill(T::zero()));
    for c in 0..n {
        let bc = tree.dofs[c].body;
        let (vp, ap) = (v[tree.bodies[bc].parent], a[tree.bodies[bc].parent]);
        let psi = vp.cross(S[c]);
        let psi2 = ap.cross(S[c]) + vp.cross(psi);
        let rate = v[bc].cross(S[c]) + psi;
        for r in 0..n {
            let br = tree.dofs[r].body;
            let (mut q, mut w, mut m) = (Force::zero(), Force::zero(), Force::zero());
            for k in 1..tree.bodies.len() {
                if !within(k, br) {
                    continue;
                }
                let f = I[k] * a[k] + v[k].cross_force(I[k] * v[k]) - X[k].act_force(state.external[k]);
                if c == 0 {
                    tau[r] += S[r].dot(f);
                }
                if within(k, bc) {
                    let b =
                        |x: Motion<T>| v[k].cross_force(I[k] * x) - I[k] * v[k].cross(x) + x.cross_force(I[k] * v[k]);
                    q += b(psi) + I[k] * psi2;
                    w += b(S[c]) + I[k] * rate;
                    m += I[k] * S[c];
                    if !within(br, bc) {
                        q += S[c].cross_force(f);
                    }
                }
            }
            dq[c * n + r] = S[r].dot(q);
            dv[c * n + r] = S[r].dot(w);
            da[c * n + r] = S[r].dot(m);
        }
    }
}
