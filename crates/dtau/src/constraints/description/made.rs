//! From a description to a kind of constraint on a model.

use super::{ConstraintDescription, Here, POINTS, refuse};
use crate::Workspace;
use crate::constraints::kind::{Anchor, Kind, Pair, Term};
use crate::error::{Error, ErrorKind};
use crate::kinematics::frame_placement;
use crate::model::{FrameId, Model};
use crate::spatial::{Mat3, Quaternion, Transform, Vec3};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The directions of a frame, in the order of rows.
pub(in crate::constraints) const DIRECTIONS: [&str; 6] = ["x", "y", "z", "about x", "about y", "about z"];

impl ConstraintDescription {
    /// Returns the kind of constraint on a model. `q` is the configuration of `here`; `terms` are its joints,
    /// in the given order.
    pub(in crate::constraints) fn made(
        &self,
        model: &Model,
        q: &[f64],
        terms: &[(String, f64)],
    ) -> Result<Kind, Error> {
        let here = match &self.here {
            Some(Here::Yes(true)) => Some(q),
            Some(Here::At(q)) => Some(&q[..]),
            Some(Here::Yes(false)) | None => None,
        };
        match (&self.point, &self.frame, &self.joints) {
            (Some(point), None, None) => {
                self.held_point(Places { model, held: point, with: self.with.as_deref() }, here)
            }
            (None, Some(frame), None) => {
                self.held_frame(Places { model, held: frame, with: self.with.as_deref() }, here)
            }
            (None, None, Some(_)) => self.relation(model, terms, here),
            _ => refuse("it must have one of `point`, `frame` and `joints`"),
        }
    }

    fn held_point(&self, places: Places, here: Option<&[f64]>) -> Result<Kind, Error> {
        self.only_has("points", POINTS)?;
        let at = Vec3::from(self.at.unwrap_or_default());
        let pair = |point: [f64; 3]| places.pair(Transform::translation(at), Transform::translation(point.into()));
        match (here, self.position, &self.ways()[..]) {
            (Some(q), None, []) => Kind::point(pair(places.here(q)?.act_point(at).to_array())?, &[], self.axes),
            (None, Some(point), []) => Kind::point(pair(point)?, &[], self.axes),
            (None, None, [way]) => way.kind(pair(way.place()?)?, self.axes),
            _ => {
                let (last, others) = POINTS[3..].split_last().expect("a way");
                let others: String = others.iter().map(|way| format!(", `{way}`")).collect();
                refuse(format!("say where it is held, by one of `here`{others} and `{last}`"))
            }
        }
    }

    fn held_frame(&self, places: Places, here: Option<&[f64]>) -> Result<Kind, Error> {
        self.only_has("frames", &["with", "position", "rpy", "rotation", "only", "axes"])?;
        let only = self.only.as_ref().map_or(Ok([true; 6]), |only| directions(only))?;
        let said = self.position.is_some() || self.rpy.is_some() || self.rotation.is_some();
        let placement = match here {
            Some(q) if !said => places.here(q)?,
            None if said => self.placement()?,
            _ => return refuse("say where it is held: `here`, or a `position` with `rpy` or `rotation`"),
        };
        Kind::frame(places.pair(Transform::identity(), placement)?, only, self.axes)
    }

    fn placement(&self) -> Result<Transform<f64>, Error> {
        let turn = |x, y, z| Quaternion::exp(Vec3::new(x, y, z));
        let rot = match (self.rpy, self.rotation) {
            (None, None) => Mat3::identity(),
            (Some([roll, pitch, yaw]), None) => {
                (turn(0.0, 0.0, yaw) * turn(0.0, pitch, 0.0) * turn(roll, 0.0, 0.0)).to_matrix()
            }
            (None, Some(rows)) => Mat3::from_rows(rows),
            _ => return refuse("it has both `rpy` and `rotation`; leave one of them out"),
        };
        Ok(Transform::new(rot, self.position.unwrap_or_default().into()))
    }

    fn relation(&self, model: &Model, terms: &[(String, f64)], here: Option<&[f64]>) -> Result<Kind, Error> {
        self.only_has("joints", &["sum"])?;
        let constant = match (here, self.sum) {
            (Some(q), None) => sum(model, terms, q)?,
            (None, Some(sum)) => sum,
            _ => return refuse("say what they sum to, by one of `sum` and `here`"),
        };
        if !constant.is_finite() || terms.iter().any(|(_, factor)| !factor.is_finite()) {
            return refuse("its numbers must be finite");
        }
        if terms.iter().all(|(_, factor)| *factor == 0.0) {
            return refuse("it has no joint with a factor other than zero; give it one");
        }
        let mut out = Vec::new();
        for &(ref joint, factor) in terms {
            let info = model.joint_info(model.joint(joint)?);
            let body = &model.tree().bodies[info.bodies.end - 1];
            if info.bodies.len() != 1 || body.v.len() != 1 || body.q.len() != 1 {
                let name = &info.name;
                return refuse(format!("joint \"{name}\" has several degrees of freedom; name joints that have one"));
            }
            out.push(Term { coordinate: body.q.start, dof: body.v.start, factor });
        }
        Ok(Kind::Joints(out, constant))
    }
}

/// Sum of factors times coordinates at `q`.
fn sum(model: &Model, terms: &[(String, f64)], q: &[f64]) -> Result<f64, Error> {
    if q.len() != model.nq() {
        let message = format!("`q` has {} numbers, but model \"{}\" needs nq = {}", q.len(), model.name(), model.nq());
        return Err(Error::new(ErrorKind::Length, message));
    }
    let mut sum = 0.0;
    for (joint, factor) in terms {
        let info = model.joint_info(model.joint(joint)?);
        let own = q.get(info.q.start).copied().unwrap_or(0.0);
        sum += factor * info.mimic.as_ref().map_or(own, |mimic| mimic.multiplier * own + mimic.offset);
    }
    Ok(sum)
}

/// The constrained frame, and the other frame, or the world if there is none.
struct Places<'a> {
    model: &'a Model,
    held: &'a str,
    with: Option<&'a str>,
}

impl Places<'_> {
    /// Placement of a frame at `q`.
    fn placed(&self, frame: FrameId, q: &[f64]) -> Result<Transform<f64>, Error> {
        let mut out = [0.0; 12];
        frame_placement(self.model, &mut Workspace::try_new(self.model)?, frame, q, &mut out)?;
        Ok(Transform::from_array(out))
    }

    /// Placement at `q` of the constrained frame in the other one.
    fn here(&self, q: &[f64]) -> Result<Transform<f64>, Error> {
        let of = |name: &str| self.placed(self.model.frame(name)?, q);
        let own = of(self.held)?;
        Ok(match self.with {
            None => own,
            Some(other) => of(other)?.inverse() * own,
        })
    }

    /// The two places: one in the constrained frame, one in the other.
    fn pair(&self, own: Transform<f64>, other: Transform<f64>) -> Result<Pair, Error> {
        let anchor = |name: &str, place: Transform<f64>| {
            let frame = self.model.frame(name)?;
            let info = self.model.frame_info(frame);
            let body = info.body.map_or(0, |body| body.0);
            Ok::<_, Error>(Anchor { body, frame: Some(frame), placement: info.placement * place })
        };
        if !own.to_array().into_iter().chain(other.to_array()).all(f64::is_finite) {
            return refuse("its place must be finite");
        }
        let orthogonal = other.rot.transpose() * other.rot - Mat3::identity();
        if orthogonal.to_rows().into_iter().flatten().any(|x| x.abs() > 1e-6) {
            return refuse("the rotation of its place is none: its columns are not orthogonal unit vectors");
        }
        let first = anchor(self.held, own)?;
        let second = match self.with {
            None => Anchor { body: 0, frame: None, placement: other },
            Some(name) => anchor(name, other)?,
        };
        match first.body {
            body if body != second.body => Ok(Pair::new(self.model.tree(), first, second)),
            0 => refuse("both of its frames are fixed to the world, so it holds nothing; name a frame that moves"),
            _ => refuse("both of its frames are on one body, so it holds nothing; name frames of two bodies"),
        }
    }
}

/// Parses the names of frame directions.
fn directions(names: &[String]) -> Result<[bool; 6], Error> {
    let mut only = [false; 6];
    for name in names {
        let Some(k) = DIRECTIONS.iter().position(|known| known == name) else {
            return refuse(format!("`only` has {name:?}; directions are x, y, z, about x, about y and about z"));
        };
        only[k] = true;
    }
    Ok(only)
}
