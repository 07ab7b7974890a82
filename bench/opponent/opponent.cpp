// Pinocchio as the timing opponent, behind the C interface of opponent.h. build.sh makes it twice:
//
// - header-only with -march=native, the opponent that counts. Nothing of Pinocchio's shipped library is linked: it was
//   built without -march=native, and Eigen's alignment, so the layout of Model and Data, depends on that;
// - with OPPONENT_SHIPPED, without -march=native, linked to the library that `pip install pin` brings.
//
// The model comes in as data, so neither needs a parser.

#include "held.hpp"
#include "opponent.h"

#include <pinocchio/fwd.hpp>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics-derivatives.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody/joint.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <deque>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#ifndef OPPONENT_FLAGS
  #define OPPONENT_FLAGS "unknown flags"
#endif

#define OPPONENT_STRING_OF(x) #x
#define OPPONENT_STRING(x) OPPONENT_STRING_OF(x)

namespace
{
  namespace pin = pinocchio;
  using Eigen::MatrixXd;
  using Eigen::Vector3d;
  using Eigen::VectorXd;
  using RowMajor3d = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  using Tensor = pin::Data::Tensor3x;

  using opponent::State;

  // The derivatives of one body's motion.
  struct Watched
  {
    pin::JointIndex joint;
    pin::Data::Matrix6x dv_dq, da_dq, da_dv, da_da;
  };

  // Derivatives by q, v and x, in memory that the caller of Pinocchio owns. It writes only the entries that are
  // structurally nonzero, so they are zeroed once, here; and since those differ, no two algorithms share one.
  struct Derivatives
  {
    MatrixXd dq, dv, dx;

    explicit Derivatives(int nv)
    : dq(MatrixXd::Zero(nv, nv))
    , dv(MatrixXd::Zero(nv, nv))
    , dx(MatrixXd::Zero(nv, nv))
    {
    }
  };

  // The model, Pinocchio's workspace, and outputs.
  struct Opponent
  {
    pin::Model model;
    pin::Data data;
    Derivatives id, fd;
    std::vector<Watched> watched;
    std::shared_ptr<opponent::Held> held;
    std::array<Tensor, 4> second; // by dq dq, dv dv, dq dv, da dq; empty until asked for
    std::vector<double> kept;     // results of many calls, of the quantity that they were last asked for
    int32_t kept_of = -1;

    explicit Opponent(const pin::Model & m)
    : model(m)
    , data(model)
    , id(m.nv)
    , fd(m.nv)
    {
      // 4 nv³ numbers that only the second-order derivatives use; at nv = 500 they are 4 GB.
      for (Tensor * t : {&data.d2tau_dqdq, &data.d2tau_dvdv, &data.d2tau_dqdv, &data.d2tau_dadq})
        t->resize(0, 0, 0);
    }

    void allocate_second_order()
    {
      for (Tensor & t : second)
        if (t.size() == 0)
        {
          t.resize(model.nv, model.nv, model.nv);
          t.setZero();
        }
    }
  };

  // ---- The model ----

  // The joint for an axis: Pinocchio has a cheaper type for each coordinate axis, which its URDF parser takes as well.
  template<class X, class Y, class Z, class Unaligned, class... Pitch>
  pin::JointModel along(const Vector3d & axis, Pitch... pitch)
  {
    if (axis == Vector3d::UnitX())
      return X(pitch...);
    if (axis == Vector3d::UnitY())
      return Y(pitch...);
    if (axis == Vector3d::UnitZ())
      return Z(pitch...);
    return Unaligned(axis, pitch...);
  }

  Vector3d unit_axis(const OpponentBody & body)
  {
    const Vector3d axis = Eigen::Map<const Vector3d>(body.axis);
    if (!(axis.norm() > 0))
      throw std::invalid_argument("the axis is zero");
    return axis.normalized();
  }

  pin::JointModel joint_of(const OpponentBody & body)
  {
    using namespace pinocchio;
    switch (body.kind)
    {
    case OPPONENT_REVOLUTE:
      return along<JointModelRX, JointModelRY, JointModelRZ, JointModelRevoluteUnaligned>(unit_axis(body));
    case OPPONENT_PRISMATIC:
      return along<JointModelPX, JointModelPY, JointModelPZ, JointModelPrismaticUnaligned>(unit_axis(body));
    case OPPONENT_HELICAL:
      return along<JointModelHX, JointModelHY, JointModelHZ, JointModelHelicalUnaligned>(unit_axis(body), body.pitch);
    case OPPONENT_SPHERICAL:
      return JointModelSpherical();
    case OPPONENT_PLANAR:
      return JointModelPlanar();
    case OPPONENT_TRANSLATION:
      return JointModelTranslation();
    case OPPONENT_FREE_FLYER:
      return JointModelFreeFlyer();
    case OPPONENT_REVOLUTE_UNBOUNDED:
      return along<JointModelRUBX, JointModelRUBY, JointModelRUBZ, JointModelRevoluteUnboundedUnaligned>(
        unit_axis(body));
    }
    throw std::invalid_argument("unknown joint kind " + std::to_string(body.kind));
  }

  // Pinocchio's subtree blocks need depth-first order: a body's parent is the body before it or an ancestor of that.
  void check_depth_first(const OpponentBody * bodies, int32_t i)
  {
    int32_t ancestor = i - 1;
    while (ancestor >= 0 && ancestor != bodies[i].parent)
      ancestor = bodies[ancestor].parent;
    if (ancestor != bodies[i].parent)
      throw std::invalid_argument("parent " + std::to_string(bodies[i].parent) + " breaks the depth-first order");
  }

  pin::Model model_of(const OpponentBody * bodies, int32_t n, const double gravity[3])
  {
    pin::Model model;
    model.gravity = pin::Motion(Eigen::Map<const Vector3d>(gravity), Vector3d::Zero());
    for (int32_t i = 0; i < n; ++i)
    {
      const OpponentBody & body = bodies[i];
      const std::string name = "body " + std::to_string(i);
      try
      {
        check_depth_first(bodies, i);
        const pin::SE3 placement(
          Eigen::Map<const RowMajor3d>(body.rotation), Eigen::Map<const Vector3d>(body.translation));
        const pin::Inertia inertia(
          body.mass, Eigen::Map<const Vector3d>(body.com), Eigen::Map<const RowMajor3d>(body.inertia));
        // The world is Pinocchio's joint 0.
        const auto joint = model.addJoint(pin::JointIndex(body.parent + 1), joint_of(body), placement, name);
        model.appendBodyToJoint(joint, inertia, pin::SE3::Identity());
        model.armature.tail(model.nvs[joint]).setConstant(body.armature);
      }
      catch (const std::exception & error)
      {
        throw std::invalid_argument(name + ": " + error.what());
      }
    }
    return model;
  }

  // ---- The algorithms ----

  template<class Call>
  double nanoseconds(const std::vector<State> & states, int32_t reps, Call call)
  {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    auto state = states.begin();
    for (int32_t i = 0; i < reps; ++i)
    {
      call(*state);
      if (++state == states.end())
        state = states.begin();
    }
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  }

#ifndef OPPONENT_SHIPPED
  opponent::Held & held(const Opponent & o)
  {
    if (!o.held)
      throw std::invalid_argument("nothing is held");
    return *o.held;
  }
#endif

  // `after` is called after every call.
  template<class After>
  double time_calls(Opponent & o, int32_t quantity, const std::vector<State> & states, int32_t reps, After after)
  {
    const pin::Model & model = o.model;
    pin::Data & data = o.data;
#ifndef OPPONENT_SHIPPED
    if (opponent::is_held(quantity))
      return opponent::time(held(o), quantity, states, reps, nullptr, 1);
#endif
    const auto time = [&](auto call) {
      return nanoseconds(states, reps, [&](const State & s) {
        call(s);
        after();
      });
    };
    switch (quantity)
    {
    case OPPONENT_RNEA:
      return time([&](const State & s) { pin::rnea(model, data, s.q, s.v, s.x); });
    case OPPONENT_ABA:
      return time([&](const State & s) { pin::aba(model, data, s.q, s.v, s.x, pin::Convention::LOCAL); });
    case OPPONENT_ABA_WORLD:
      return time([&](const State & s) { pin::aba(model, data, s.q, s.v, s.x, pin::Convention::WORLD); });
    case OPPONENT_CRBA:
      return time([&](const State & s) { pin::crba(model, data, s.q, pin::Convention::LOCAL); });
    case OPPONENT_CRBA_WORLD:
      return time([&](const State & s) { pin::crba(model, data, s.q, pin::Convention::WORLD); });
    case OPPONENT_MINVERSE:
      return time([&](const State & s) { pin::computeMinverse(model, data, s.q); });
    case OPPONENT_ID_DERIVATIVES:
      return time([&](const State & s) {
        pin::computeRNEADerivatives(model, data, s.q, s.v, s.x, o.id.dq, o.id.dv, o.id.dx);
      });
    case OPPONENT_ID_DERIVATIVES_DATA:
      return time([&](const State & s) { pin::computeRNEADerivatives(model, data, s.q, s.v, s.x); });
    case OPPONENT_FD_DERIVATIVES:
      return time([&](const State & s) {
        pin::computeABADerivatives(model, data, s.q, s.v, s.x, o.fd.dq, o.fd.dv, o.fd.dx);
      });
    case OPPONENT_FD_DERIVATIVES_DATA:
      return time([&](const State & s) { pin::computeABADerivatives(model, data, s.q, s.v, s.x); });
    case OPPONENT_KINEMATIC_DERIVATIVES:
      return time([&](const State & s) { pin::computeForwardKinematicsDerivatives(model, data, s.q, s.v, s.x); });
    case OPPONENT_SECOND_ORDER_ID:
      o.allocate_second_order();
      return time([&](const State & s) {
        pin::ComputeRNEASecondOrderDerivatives(
          model, data, s.q, s.v, s.x, o.second[0], o.second[1], o.second[2], o.second[3]);
      });
    case OPPONENT_REGRESSOR:
      return time([&](const State & s) { pin::computeJointTorqueRegressor(model, data, s.q, s.v, s.x); });
    case OPPONENT_CORIOLIS:
      return time([&](const State & s) { pin::computeCoriolisMatrix(model, data, s.q, s.v); });
    case OPPONENT_FORWARD_KINEMATICS:
      return time([&](const State & s) { pin::forwardKinematics(model, data, s.q, s.v, s.x); });
    case OPPONENT_JOINT_JACOBIANS:
      return time([&](const State & s) { pin::computeJointJacobians(model, data, s.q); });
    case OPPONENT_CENTROIDAL_MAP:
      return time([&](const State & s) { pin::computeCentroidalMap(model, data, s.q); });
    case OPPONENT_WATCHED_DERIVATIVES:
      return time([&](const State & s) {
        pin::computeForwardKinematicsDerivatives(model, data, s.q, s.v, s.x);
        for (Watched & w : o.watched)
          pin::getJointAccelerationDerivatives(
            model, data, w.joint, pin::WORLD, w.dv_dq, w.da_dq, w.da_dv, w.da_da);
      });
    case OPPONENT_WATCHED_JACOBIANS:
      return time([&](const State & s) {
        pin::computeJointJacobians(model, data, s.q);
        for (Watched & w : o.watched)
          pin::getJointJacobian(model, data, w.joint, pin::WORLD, w.da_da);
      });
    }
    throw std::invalid_argument("unknown quantity " + std::to_string(quantity));
  }

  // ---- States in, results out ----

  // Copies of the caller's states. Each vector is an allocation of its own, aligned as Eigen likes it. An absent array is
  // all zeros.
  class States
  {
    std::deque<VectorXd> storage; // never moves its elements
    std::vector<State> states;

    const VectorXd & copy(const double * from, int32_t size, int32_t i)
    {
      storage.emplace_back(VectorXd::Zero(size));
      if (from)
        storage.back() = Eigen::Map<const VectorXd>(from + std::ptrdiff_t(i) * size, size);
      return storage.back();
    }

  public:
    States(const pin::Model & model, const double * q, const double * v, const double * x, int32_t nstates)
    {
      for (int32_t i = 0; i < nstates; ++i)
        states.push_back({copy(q, model.nq, i), copy(v, model.nv, i), copy(x, model.nv, i)});
    }

    const std::vector<State> & all() const
    {
      return states;
    }
  };

  // Appends matrices to `out`, column by column.
  struct Writer
  {
    double * out;
    bool mirrors;

    template<class Matrix>
    Writer & full(const Matrix & m)
    {
      Eigen::Map<MatrixXd>(out, m.rows(), m.cols()) = m;
      out += m.size();
      return *this;
    }

    // Pinocchio fills only the upper triangle; the other one is made from it only for comparing.
    template<class Matrix>
    Writer & symmetric(const Matrix & m)
    {
      return mirrors ? full(MatrixXd(m.template selfadjointView<Eigen::Upper>())) : full(m);
    }
  };

  void write_result(const Opponent & o, int32_t quantity, double * out, bool mirrors)
  {
    const pin::Data & data = o.data;
    Writer write{out, mirrors};
#ifndef OPPONENT_SHIPPED
    if (opponent::is_held(quantity))
      return opponent::write(held(o), quantity, out);
#endif
    switch (quantity)
    {
    case OPPONENT_RNEA:
      write.full(data.tau);
      return;
    case OPPONENT_ABA:
    case OPPONENT_ABA_WORLD:
      write.full(data.ddq);
      return;
    case OPPONENT_CRBA:
    case OPPONENT_CRBA_WORLD:
      write.symmetric(data.M);
      return;
    case OPPONENT_MINVERSE:
      write.symmetric(data.Minv);
      return;
    case OPPONENT_ID_DERIVATIVES:
      write.full(o.id.dq).full(o.id.dv).symmetric(o.id.dx);
      return;
    case OPPONENT_ID_DERIVATIVES_DATA:
      write.full(data.dtau_dq).full(data.dtau_dv).symmetric(data.M);
      return;
    case OPPONENT_FD_DERIVATIVES:
      write.full(o.fd.dq).full(o.fd.dv).full(o.fd.dx);
      return;
    case OPPONENT_FD_DERIVATIVES_DATA:
      write.full(data.ddq_dq).full(data.ddq_dv).full(data.Minv);
      return;
    case OPPONENT_KINEMATIC_DERIVATIVES:
      write.full(data.J).full(data.dJ);
      return;
    case OPPONENT_SECOND_ORDER_ID:
      for (const Tensor & t : o.second)
        write.full(Eigen::Map<const VectorXd>(t.data(), t.size()));
      return;
    case OPPONENT_REGRESSOR:
      write.full(data.jointTorqueRegressor);
      return;
    case OPPONENT_CORIOLIS:
      write.full(data.C);
      return;
    case OPPONENT_FORWARD_KINEMATICS:
      for (std::size_t i = 1; i < data.oMi.size(); ++i)
        write.full(data.oMi[i].rotation())
          .full(data.oMi[i].translation())
          .full(data.v[i].toVector())
          .full(data.a[i].toVector());
      return;
    case OPPONENT_JOINT_JACOBIANS:
      write.full(data.J);
      return;
    case OPPONENT_CENTROIDAL_MAP:
      write.full(data.Ag);
      return;
    case OPPONENT_WATCHED_DERIVATIVES:
      for (const Watched & w : o.watched)
        write.full(w.dv_dq).full(w.da_dq).full(w.da_dv).full(w.da_da);
      return;
    case OPPONENT_WATCHED_JACOBIANS:
      for (const Watched & w : o.watched)
        write.full(w.da_da);
      return;
    }
  }

  int64_t size_of_result(const Opponent & o, int32_t quantity)
  {
    const pin::Model & model = o.model;
    const int64_t nv = model.nv, watched = int64_t(o.watched.size()), n = int64_t(model.njoints) - 1;
#ifndef OPPONENT_SHIPPED
    if (opponent::is_held(quantity))
      return opponent::size(held(o), quantity);
#endif
    switch (quantity)
    {
    case OPPONENT_RNEA:
    case OPPONENT_ABA:
    case OPPONENT_ABA_WORLD:
      return nv;
    case OPPONENT_CRBA:
    case OPPONENT_CRBA_WORLD:
    case OPPONENT_MINVERSE:
    case OPPONENT_CORIOLIS:
      return nv * nv;
    case OPPONENT_ID_DERIVATIVES:
    case OPPONENT_ID_DERIVATIVES_DATA:
    case OPPONENT_FD_DERIVATIVES:
    case OPPONENT_FD_DERIVATIVES_DATA:
      return 3 * nv * nv;
    case OPPONENT_KINEMATIC_DERIVATIVES:
      return 2 * 6 * nv;
    case OPPONENT_SECOND_ORDER_ID:
      return 4 * nv * nv * nv;
    case OPPONENT_REGRESSOR:
      return nv * 10 * n;
    case OPPONENT_FORWARD_KINEMATICS:
      return 24 * n;
    case OPPONENT_JOINT_JACOBIANS:
    case OPPONENT_CENTROIDAL_MAP:
      return 6 * nv;
    case OPPONENT_WATCHED_DERIVATIVES:
      return 4 * 6 * nv * watched;
    case OPPONENT_WATCHED_JACOBIANS:
      return 6 * nv * watched;
    }
    return 0;
  }

  double time_keeping(Opponent & o, int32_t quantity, const std::vector<State> & states, int32_t kept, int32_t reps)
  {
#ifndef OPPONENT_SHIPPED
    const std::ptrdiff_t size =
      opponent::is_held(quantity) ? opponent::size_kept(held(o), quantity) : size_of_result(o, quantity);
#else
    const std::ptrdiff_t size = size_of_result(o, quantity);
#endif
    if (o.kept_of != quantity || o.kept.size() != std::size_t(size) * kept)
    {
      o.kept.assign(std::size_t(size) * kept, 0.0); // Pinocchio leaves the zeros of derivatives to the caller
      o.kept_of = quantity;
    }
#ifndef OPPONENT_SHIPPED
    if (opponent::is_held(quantity))
      return opponent::time(held(o), quantity, states, reps, o.kept.data(), kept);
#endif
    int32_t next = 0;
    const auto place = [&] {
      double * out = o.kept.data() + size * next;
      next = next + 1 == kept ? 0 : next + 1;
      return out;
    };
    using Map = Eigen::Map<MatrixXd>;
    const std::ptrdiff_t nv = o.model.nv, square = nv * nv;
    switch (quantity)
    {
    case OPPONENT_ID_DERIVATIVES:
      return nanoseconds(states, reps, [&](const State & s) {
        double * out = place();
        Map dq(out, nv, nv), dv(out + square, nv, nv), da(out + 2 * square, nv, nv);
        pin::computeRNEADerivatives(o.model, o.data, s.q, s.v, s.x, dq, dv, da);
      });
    case OPPONENT_FD_DERIVATIVES:
      return nanoseconds(states, reps, [&](const State & s) {
        double * out = place();
        Map dq(out, nv, nv), dv(out + square, nv, nv), dtau(out + 2 * square, nv, nv);
        pin::computeABADerivatives(o.model, o.data, s.q, s.v, s.x, dq, dv, dtau);
      });
    }
    return time_calls(o, quantity, states, reps, [&] { write_result(o, quantity, place(), false); });
  }

  // ---- The border ----

  // No exception crosses the C interface.
  template<class T, class Body>
  T guarded(T on_failure, Body body)
  {
    try
    {
      return body();
    }
    catch (const std::exception & error)
    {
      std::fprintf(stderr, "opponent: %s\n", error.what());
    }
    catch (...)
    {
      std::fprintf(stderr, "opponent: unknown exception\n");
    }
    return on_failure;
  }

  Opponent & of(void * opponent)
  {
    if (!opponent)
      throw std::invalid_argument("the opponent is NULL");
    return *static_cast<Opponent *>(opponent);
  }
} // namespace

#define OPPONENT_EXPORT extern "C" __attribute__((visibility("default")))

OPPONENT_EXPORT void * opponent_new(const OpponentBody * bodies, int32_t n, const double gravity[3])
{
  return guarded<void *>(nullptr, [&] { return new Opponent(model_of(bodies, n, gravity)); });
}

OPPONENT_EXPORT void opponent_free(void * opponent)
{
  delete static_cast<Opponent *>(opponent);
}

OPPONENT_EXPORT int32_t opponent_nq(void * opponent)
{
  return guarded<int32_t>(-1, [&] { return of(opponent).model.nq; });
}

OPPONENT_EXPORT int32_t opponent_nv(void * opponent)
{
  return guarded<int32_t>(-1, [&] { return of(opponent).model.nv; });
}

OPPONENT_EXPORT int32_t opponent_watch(void * opponent, const int32_t * bodies, int32_t n)
{
  return guarded<int32_t>(-1, [&] {
    Opponent & o = of(opponent);
    const pin::Data::Matrix6x zero = pin::Data::Matrix6x::Zero(6, o.model.nv);
    o.watched.clear();
    for (int32_t i = 0; i < n; ++i)
    {
      if (bodies[i] < 0 || bodies[i] >= o.model.njoints - 1)
        throw std::invalid_argument("there is no body " + std::to_string(bodies[i]));
      o.watched.push_back({pin::JointIndex(bodies[i] + 1), zero, zero, zero, zero});
    }
    return 0;
  });
}

OPPONENT_EXPORT int32_t opponent_hold(void * opponent, const OpponentHold * holds, int32_t n)
{
  return guarded<int32_t>(-1, [&] {
#ifndef OPPONENT_SHIPPED
    of(opponent).held = ::opponent::hold(of(opponent).model, holds, n);
    return 0;
#else
    (void)opponent, (void)holds, (void)n;
    throw std::invalid_argument("this build holds nothing");
    return -1;
#endif
  });
}

OPPONENT_EXPORT int64_t opponent_size(void * opponent, int32_t quantity)
{
  return guarded<int64_t>(0, [&] { return size_of_result(of(opponent), quantity); });
}

OPPONENT_EXPORT int32_t opponent_run(
  void * opponent, int32_t quantity, const double * q, const double * v, const double * x, double * out)
{
  return guarded<int32_t>(-1, [&] {
    Opponent & o = of(opponent);
    time_calls(o, quantity, States(o.model, q, v, x, 1).all(), 1, [] {});
    write_result(o, quantity, out, true);
    return 0;
  });
}

OPPONENT_EXPORT double opponent_time(
  void * opponent,
  int32_t quantity,
  const double * q,
  const double * v,
  const double * x,
  int32_t nstates,
  int32_t reps)
{
  return guarded<double>(std::numeric_limits<double>::quiet_NaN(), [&] {
    if (nstates < 1)
      throw std::invalid_argument("there must be at least one state");
    Opponent & o = of(opponent);
    return time_calls(o, quantity, States(o.model, q, v, x, nstates).all(), reps, [] {});
  });
}

OPPONENT_EXPORT double opponent_time_keeping(
  void * opponent,
  int32_t quantity,
  const double * q,
  const double * v,
  const double * x,
  int32_t nstates,
  int32_t kept,
  int32_t reps)
{
  return guarded<double>(std::numeric_limits<double>::quiet_NaN(), [&] {
    if (nstates < 1 || kept < 1)
      throw std::invalid_argument("there must be at least one state, and a place for its result");
    Opponent & o = of(opponent);
    return time_keeping(o, quantity, States(o.model, q, v, x, nstates).all(), kept, reps);
  });
}

OPPONENT_EXPORT const char * opponent_about(void)
{
  return "Pinocchio " PINOCCHIO_VERSION ", Eigen " OPPONENT_STRING(EIGEN_WORLD_VERSION) "." OPPONENT_STRING(
    EIGEN_MAJOR_VERSION) "." OPPONENT_STRING(EIGEN_MINOR_VERSION) ", " __VERSION__ ", " OPPONENT_FLAGS;
}
