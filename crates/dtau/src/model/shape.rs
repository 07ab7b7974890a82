//! The shape of a tree, as one number. Engines keep it to recognise the models that they were made for.

use super::Tree;

/// Hashes everything that determines the sizes of scratch memory: parents, and numbers of coordinates and
/// degrees of freedom.
pub(super) fn of(tree: &Tree, nq: usize, nv: usize) -> u64 {
    let mut hash = Hash::new();
    hash.add(nq);
    hash.add(nv);
    hash.add(tree.angles.len());
    for body in &tree.bodies {
        hash.add(body.parent);
        hash.add(body.q.len());
        hash.add(body.v.len());
    }
    hash.0
}

/// FNV-1a over words, then mixed. It tells shapes apart; it need not be cryptographic.
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    fn add(&mut self, x: usize) {
        self.0 = (self.0 ^ x as u64).wrapping_mul(0x0000_0100_0000_01B3);
        self.0 ^= self.0 >> 29;
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Model, Options, generate};

    #[test]
    fn trees_of_other_shapes_have_other_numbers() {
        let shape = |robot| Model::build(&robot, &Options::default()).unwrap().shape();
        assert_eq!(shape(generate::chain(7)), shape(generate::chain(7)));
        assert_ne!(shape(generate::chain(7)), shape(generate::chain(8)));
        assert_ne!(shape(generate::tree(7, 1)), shape(generate::tree(7, 2)));
        assert_ne!(shape(generate::tree(7, 2)), shape(generate::tree(7, 3)));
    }
}
