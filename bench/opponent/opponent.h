/* The timing opponent: Pinocchio behind a plain C interface.
 *
 * Load libopponent.so (build.sh makes it) next to the library under test and time both sides in one process, in turns.
 *
 * Conventions are Pinocchio's. Six-vectors are (linear; angular). Gravity is the acceleration itself, (0, 0, -9.81).
 * Configurations: spherical (x, y, z, w); free-flyer (position; x, y, z, w); planar (x, y, cos, sin);
 * unbounded revolute (cos, sin). Velocities of spherical, planar and free-flyer joints are in the body frame.
 * Nothing here throws: a failure says why on stderr.
 */
#ifndef OPPONENT_H
#define OPPONENT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum OpponentJoint {
  OPPONENT_REVOLUTE = 0,
  OPPONENT_PRISMATIC = 1,
  OPPONENT_HELICAL = 2,
  OPPONENT_SPHERICAL = 3,
  OPPONENT_PLANAR = 4,
  OPPONENT_TRANSLATION = 5,
  OPPONENT_FREE_FLYER = 6,
  OPPONENT_REVOLUTE_UNBOUNDED = 7,
};

/* n: bodies, nv: velocities. Matrices are column-major and complete: symmetric ones are mirrored.
 * x is the third argument of a state: the acceleration, or the torque where marked (q, v, tau). */
enum OpponentQuantity {
  OPPONENT_RNEA = 0,                  /* nv                 torque */
  OPPONENT_ABA = 1,                   /* nv                 acceleration (q, v, tau), LOCAL convention */
  OPPONENT_CRBA = 2,                  /* nv x nv            M, LOCAL convention */
  OPPONENT_MINVERSE = 3,              /* nv x nv            M^-1 */
  OPPONENT_ID_DERIVATIVES = 4,        /* 3 of nv x nv       dtau/dq, dtau/dv, M; column-major outputs */
  OPPONENT_FD_DERIVATIVES = 5,        /* 3 of nv x nv       ddq/dq, ddq/dv, M^-1 (q, v, tau); column-major outputs */
  OPPONENT_KINEMATIC_DERIVATIVES = 6, /* 2 of 6 x nv        J and its rate, in the world frame: the pass over the tree alone */
  OPPONENT_SECOND_ORDER_ID = 7,       /* 4 of nv x nv x nv  d2tau by dq dq, dv dv, dq dv, da dq; first index fastest */
  OPPONENT_REGRESSOR = 8,             /* nv x 10 n          m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the joint */
  OPPONENT_CORIOLIS = 9,              /* nv x nv            C */
  OPPONENT_FORWARD_KINEMATICS = 10,   /* 24 x n             world rotation (9), position (3), body-frame v (6), a (6) */
  OPPONENT_JOINT_JACOBIANS = 11,      /* 6 x nv             J in the world frame */
  OPPONENT_CENTROIDAL_MAP = 12,       /* 6 x nv             A about the centre of mass, world axes */

  /* Other ways Pinocchio offers to the same results. A comparison takes the fastest. */
  OPPONENT_ABA_WORLD = 13,           /* as ABA, WORLD convention */
  OPPONENT_CRBA_WORLD = 14,          /* as CRBA, WORLD convention; also leaves the centroidal map behind */
  OPPONENT_ID_DERIVATIVES_DATA = 15, /* as ID_DERIVATIVES, into Pinocchio's own row-major storage */
  OPPONENT_FD_DERIVATIVES_DATA = 16, /* as FD_DERIVATIVES, into Pinocchio's own row-major storage */

  /* At the bodies that opponent_watch named: the pass over the tree, then what a caller asks for each of them. */
  OPPONENT_WATCHED_DERIVATIVES = 17, /* 4 of 6 x nv a body  dv/dq, da/dq, da/dv, da/da, in the world frame */
  OPPONENT_WATCHED_JACOBIANS = 18,   /* 6 x nv a body       J, in the world frame */

  /* With the frames held that opponent_hold named; (q, v, tau). Not in the build that uses the library of the wheel. */
  OPPONENT_CONSTRAINED_FD = 19,             /* nv                     acceleration; constraintDynamics */
  OPPONENT_CONSTRAINED_FD_CONTACT_ABA = 20, /* as CONSTRAINED_FD; held to the world only */
  OPPONENT_CONSTRAINED_FD_PV = 21,          /* as CONSTRAINED_FD; held to the world only, all points or all frames */
  OPPONENT_CONSTRAINED_FD_DERIVATIVES = 22, /* nv, 3 of nv x nv       acceleration, by q, v, tau; those of the forces are computed too */
  OPPONENT_IMPULSE_DERIVATIVES = 23,        /* nv                     velocity after an impact; derivatives are computed too */

  OPPONENT_QUANTITIES = 24,
};

/* A point (3 rows) or a frame (6 rows) of a body that is held at one of another body or of the world (-1). Placements are in the
 * joint frames, rotations row-major. */
typedef struct {
  int32_t body;
  int32_t other;
  int32_t rows;
  double rotation[9];
  double translation[3];
  double other_rotation[9];
  double other_translation[3];
} OpponentHold;

/* One joint and the body it carries. Depth-first order, parents before children; parent -1 is the world. */
typedef struct {
  int32_t parent;
  int32_t kind;          /* OpponentJoint */
  double axis[3];        /* revolute, prismatic, helical; need not be normalised */
  double pitch;          /* helical [m/rad] */
  double rotation[9];    /* row-major, placement of the joint frame in the parent's joint frame */
  double translation[3];
  double mass;
  double com[3];         /* in the joint frame */
  double inertia[9];     /* row-major, about the centre of mass, axes of the joint frame */
  double armature;       /* on each of the joint's velocities */
} OpponentBody;

/* Builds the model. NULL on failure. At 500 velocities Pinocchio's Data needs 4 GB for a moment. */
void* opponent_new(const OpponentBody* bodies, int32_t n, const double gravity[3]);
void opponent_free(void* opponent);

int32_t opponent_nq(void* opponent);
int32_t opponent_nv(void* opponent);

/* Names the bodies, by their index, that the WATCHED quantities speak of. 0 on success. */
int32_t opponent_watch(void* opponent, const int32_t* bodies, int32_t n);

/* Names what the CONSTRAINED quantities hold. 0 on success. */
int32_t opponent_hold(void* opponent, const OpponentHold* holds, int32_t n);

/* Number of doubles opponent_run writes; 0 for an unknown quantity. */
int64_t opponent_size(void* opponent, int32_t quantity);

/* Runs the quantity once, by the code that opponent_time times, and writes the whole result. 0 on success.
 * v and x may be NULL where the quantity does not read them. */
int32_t opponent_run(void* opponent, int32_t quantity, const double* q, const double* v, const double* x, double* out);

/* Times `reps` calls that cycle over `nstates` states, each array holding one state after the other.
 * Returns total nanoseconds, NaN on failure. It does not warm up: discard a first pass. */
double opponent_time(void* opponent, int32_t quantity, const double* q, const double* v, const double* x,
                     int32_t nstates, int32_t reps);

/* The same, and every call's result is kept: in one of `kept` places, one after the other, as a program that goes on with all of
 * them has to. Matrices are written there directly where Pinocchio takes memory of the caller's, and copied there otherwise, a
 * triangle as it is. The places are touched before the clock starts. */
double opponent_time_keeping(void* opponent, int32_t quantity, const double* q, const double* v, const double* x,
                             int32_t nstates, int32_t kept, int32_t reps);

/* Versions, compiler and flags, for the report. */
const char* opponent_about(void);

/* The peak of one core: fused multiply-adds of doubles a nanosecond, in 256-bit vectors, measured for about a
 * millisecond. Take the largest of several. */
double opponent_fma_peak(void);

#ifdef __cplusplus
}
#endif

#endif
