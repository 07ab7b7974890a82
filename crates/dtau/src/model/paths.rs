//! Paths from degrees of freedom to the root, as contiguous runs.
//!
//! Depth-first numbering makes most of a path consecutive, so a loop over a path is a few loops over ranges.

use super::mimic::MimicMap;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// A tree over degrees of freedom: parents come before their children.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Paths {
    dofs: Vec<Node>,
    /// Sum over all degrees of freedom of the number of others on their paths.
    ancestors: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Node {
    parent: Option<usize>,
    /// The path of `k` contains all of `run..=k`, and continues at the parent of `run`.
    run: usize,
    /// One past the last degree of freedom that has this one on its path.
    end: usize,
}

impl Paths {
    /// Builds the paths from the parent of each degree of freedom.
    pub(crate) fn new(parents: impl Iterator<Item = Option<usize>>) -> Self {
        let mut dofs: Vec<Node> = Vec::new();
        let mut depths: Vec<usize> = Vec::new();
        for (k, parent) in parents.enumerate() {
            let run = match parent {
                Some(p) if p + 1 == k => dofs[p].run,
                _ => k,
            };
            dofs.push(Node { parent, run, end: k + 1 });
            depths.push(parent.map_or(0, |p| depths[p] + 1));
        }
        for k in (0..dofs.len()).rev() {
            if let Some(p) = dofs[k].parent {
                dofs[p].end = dofs[p].end.max(dofs[k].end);
            }
        }
        Self { dofs, ancestors: depths.iter().sum() }
    }

    /// Average number of others on the path of a degree of freedom.
    pub(crate) fn mean_depth(&self) -> f64 {
        self.ancestors as f64 / self.dofs.len().max(1) as f64
    }

    /// The elimination tree of `Gᵀ M G`, from the last degree of freedom to the first: row `k` of its factor `L` is zero
    /// outside the path of `k`.
    ///
    /// ```text
    /// pattern(k) = { i < k : (Gᵀ M G)ᵢₖ ≠ 0 } ∪ pattern(c) \ k for every c with parent(c) = k
    /// parent(k)  = max pattern(k)
    /// ```
    ///
    /// Without mimicking joints it is the tree itself. All degrees of freedom reached from one path of the
    /// tree are coupled. Coupling only neighbours in their order gives the same tree, as in the column
    /// elimination tree, so `M` is never formed. Time: n log n; memory: O(n). Source: [Davis06] §4.1, with
    /// the order reversed.
    pub(crate) fn elimination(tree: &Paths, map: &MimicMap, nv: usize) -> Self {
        let mut later = vec![Vec::new(); nv]; // for each, some later ones that are coupled to it
        for (a, b) in neighbours(tree, map) {
            later[a].push(b);
        }
        let (mut parents, mut ancestors) = (vec![None; nv], vec![None; nv]);
        for k in (0..nv).rev() {
            for mut i in later[k].drain(..) {
                // To the root of the tree that contains `i` so far; later climbs skip directly to `k`.
                while i != k {
                    i = match ancestors[i].replace(k) {
                        Some(next) => next,
                        None => {
                            parents[i] = Some(k);
                            k
                        }
                    };
                }
            }
        }
        Self::new(parents.into_iter())
    }

    /// The next one towards the root.
    #[cfg(test)]
    pub(crate) fn parent(&self, k: usize) -> Option<usize> {
        self.dofs[k].parent
    }

    /// `k` and all before it on its path, in runs, from `k` to the root.
    #[inline(always)]
    pub(crate) fn path(&self, k: usize) -> Runs<'_> {
        Runs { paths: self, next: Some(k) }
    }

    /// The path of `k` without `k` itself.
    #[inline(always)]
    pub(crate) fn above(&self, k: usize) -> Runs<'_> {
        Runs { paths: self, next: self.dofs[k].parent }
    }

    /// All after `k` that may have it on their paths. In a tree numbered depth-first, exactly those.
    #[inline(always)]
    pub(crate) fn below(&self, k: usize) -> Range<usize> {
        k + 1..self.dofs[k].end
    }
}

/// Pairs of independent degrees of freedom, the smaller first, that are neighbours among those reached from
/// one path of the tree. Each path differs from the one before it only at its end.
fn neighbours(tree: &Paths, map: &MimicMap) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let mut path: Vec<usize> = Vec::new();
    let mut on_path: BTreeMap<usize, usize> = BTreeMap::new(); // and how often each is there
    for (k, node) in tree.dofs.iter().enumerate() {
        while path.last().copied() != node.parent {
            let left = map.dofs[path.pop().expect("parents come before their children")].index;
            match on_path.get_mut(&left) {
                Some(1) | None => _ = on_path.remove(&left),
                Some(count) => *count -= 1,
            }
        }
        path.push(k);
        let index = map.dofs[k].index;
        let count = on_path.entry(index).or_insert(0);
        *count += 1;
        if *count == 1 {
            pairs.extend(on_path.range(..index).next_back().map(|(&before, _)| (before, index)));
            pairs.extend(on_path.range(index + 1..).next().map(|(&after, _)| (index, after)));
        }
    }
    pairs
}

/// The runs of a path.
pub(crate) struct Runs<'a> {
    paths: &'a Paths,
    next: Option<usize>,
}

impl Iterator for Runs<'_> {
    type Item = Range<usize>;

    #[inline(always)]
    fn next(&mut self) -> Option<Range<usize>> {
        let last = self.next?;
        let first = self.paths.dofs[last].run;
        self.next = self.paths.dofs[first].parent;
        Some(first..last + 1)
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)] // a path of one run
mod tests {
    use super::*;
    use crate::model::mimic::Source;

    fn map(index: &[usize]) -> MimicMap {
        let dofs = index.iter().map(|&index| Source { index, multiplier: 1.0, offset: 0.0 }).collect();
        MimicMap { coordinates: Vec::new(), dofs }
    }

    fn parents(paths: &Paths) -> Vec<Option<usize>> {
        (0..paths.dofs.len()).map(|k| paths.parent(k)).collect()
    }

    /// A root with two chains: 0 → 1 → 2 and 0 → 3 → 4.
    fn fork() -> Paths {
        Paths::new([None, Some(0), Some(1), Some(0), Some(3)].into_iter())
    }

    #[test]
    fn a_path_is_its_runs() {
        let fork = fork();
        assert_eq!(fork.path(4).collect::<Vec<_>>(), [3..5, 0..1]);
        assert!(fork.path(2).eq(core::iter::once(0..3)));
        assert_eq!(fork.above(4).collect::<Vec<_>>(), [3..4, 0..1]);
        assert!(fork.above(3).eq(core::iter::once(0..1)));
        assert_eq!(fork.above(0).count(), 0);
        assert_eq!((fork.below(0), fork.below(1), fork.below(4)), (1..5, 2..3, 5..5));
    }

    #[test]
    fn without_mimicry_the_elimination_tree_is_the_tree() {
        let fork = fork();
        assert_eq!(Paths::elimination(&fork, &map(&[0, 1, 2, 3, 4]), 5), fork);
    }

    /// The last joint follows joint 2 of the other chain, so that 3 couples to 2 (and by fill-in, to 1).
    #[test]
    fn mimicry_joins_branches() {
        let paths = Paths::elimination(&fork(), &map(&[0, 1, 2, 3, 2]), 4);
        assert_eq!(parents(&paths), [None, Some(0), Some(1), Some(2)]);
    }

    /// The elimination tree by its definition, in n³: everything reached from one path is coupled, and rows
    /// fill in one by one.
    fn elimination_by_definition(tree: &Paths, map: &MimicMap, nv: usize) -> Paths {
        let mut pattern = vec![vec![false; nv]; nv];
        for k in 0..tree.dofs.len() {
            for i in tree.path(k).flatten() {
                let (a, b) = (map.dofs[i].index, map.dofs[k].index);
                pattern[a.max(b)][a.min(b)] = true;
            }
        }
        let mut parents = vec![None; nv];
        for k in (0..nv).rev() {
            parents[k] = (0..k).rev().find(|&i| pattern[k][i]);
            if let Some(p) = parents[k] {
                for i in 0..p {
                    pattern[p][i] |= pattern[k][i];
                }
            }
        }
        Paths::new(parents.into_iter())
    }

    #[test]
    fn the_elimination_tree_follows_its_definition() {
        for seed in 0..300 {
            let random = &mut crate::Random::seeded(seed);
            let n = 1 + random.below(25);
            // Depth-first: the next one hangs on the last one or on any of its ancestors.
            let mut parents: Vec<Option<usize>> = Vec::new();
            for k in 0..n {
                let mut parent = k.checked_sub(1);
                while let Some(p) = parent.filter(|_| random.below(3) == 0) {
                    parent = parents[p];
                }
                parents.push(parent);
            }
            let tree = Paths::new(parents.into_iter());
            // Some follow an independent one, before or after them.
            let moves: Vec<bool> = (0..n).map(|k| k == 0 || random.below(3) > 0).collect();
            let nv = moves.iter().filter(|&&m| m).count();
            let mut own = 0..nv;
            let index: Vec<usize> =
                moves.iter().map(|&m| if m { own.next().unwrap() } else { random.below(nv) }).collect();
            let got = Paths::elimination(&tree, &map(&index), nv);
            assert_eq!(got, elimination_by_definition(&tree, &map(&index), nv), "seed {seed}: {tree:?} {index:?}");
        }
    }
}
