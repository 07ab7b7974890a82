// Constrained dynamics of the opponent, with its default settings: no regularisation, one iteration.

#include "held.hpp"

#include <pinocchio/algorithm/constrained-dynamics-derivatives.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/impulse-dynamics-derivatives.hpp>
#include <pinocchio/algorithm/impulse-dynamics.hpp>
#include <pinocchio/algorithm/pv.hpp>

#include <chrono>
#include <initializer_list>
#include <stdexcept>
#include <string>

namespace opponent
{
  using Eigen::MatrixXd;
  using Eigen::VectorXd;
  using Clock = std::chrono::steady_clock;
  using RowMajor3d = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

  // Derivatives of one vector by q, v and x.
  struct Partials
  {
    MatrixXd dq, dv, dx;

    Partials(Eigen::Index rows, Eigen::Index nv)
    : dq(MatrixXd::Zero(rows, nv))
    , dv(MatrixXd::Zero(rows, nv))
    , dx(MatrixXd::Zero(rows, nv))
    {
    }
  };

  template<class Model>
  struct Anchors
  {
    std::vector<Model> models;
    std::vector<typename Model::ConstraintData> datas;

    // Those of this many rows; none if there are others.
    Anchors(const pin::Model & model, const std::vector<pin::RigidConstraintModel> & all, int rows)
    {
      for (const auto & one : all)
        if (one.residualSize() != rows)
          return;
      for (const auto & one : all)
        models.emplace_back(model, one.joint1_id, one.joint1_placement, one.joint2_id, one.joint2_placement);
      for (const auto & one : models)
        datas.push_back(one.createData());
    }
  };

  struct Held
  {
    pin::Model model;
    std::vector<pin::RigidConstraintModel> models;
    std::vector<pin::RigidConstraintData> datas;
    pin::Data data;
    // Of the algorithms that want their own; those know the world only on the other side.
    pin::Data data_of_pv, data_of_aba;
    bool only_world = true;
    // For `pv`, which wants one type of constraint: all are of one, or there are none.
    Anchors<pin::PointAnchorConstraintModel> points;
    Anchors<pin::FrameAnchorConstraintModel> frames;
    Eigen::Index rows = 0;
    pin::ProximalSettings settings;
    Partials motion, forces;

    Held(const pin::Model & m, std::vector<pin::RigidConstraintModel> all, bool only_world)
    : model(m)
    , models(std::move(all))
    , data(model)
    , data_of_pv(model)
    , data_of_aba(model)
    , only_world(only_world)
    , points(model, models, 3)
    , frames(model, models, 6)
    , rows(count(models))
    , motion(m.nv, m.nv)
    , forces(rows, m.nv)
    {
      for (const auto & one : models)
        datas.push_back(one.createData());
      pin::initConstraintDynamics(model, data, models, datas);
      pin::initConstraintDynamics(model, data_of_aba, models, datas);
      if (only_world && !points.models.empty())
        pin::initPvSolver(model, data_of_pv, points.models);
      if (only_world && !frames.models.empty())
        pin::initPvSolver(model, data_of_pv, frames.models);
    }

    static Eigen::Index count(const std::vector<pin::RigidConstraintModel> & models)
    {
      Eigen::Index rows = 0;
      for (const auto & one : models)
        rows += one.residualSize();
      return rows;
    }
  };

  namespace
  {
    pin::SE3 placement(const double rotation[9], const double translation[3])
    {
      return pin::SE3(Eigen::Map<const RowMajor3d>(rotation), Eigen::Map<const Eigen::Vector3d>(translation));
    }
  } // namespace

  std::shared_ptr<Held> hold(const pin::Model & model, const OpponentHold * holds, int32_t n)
  {
    std::vector<pin::RigidConstraintModel> models;
    bool only_world = true;
    for (int32_t i = 0; i < n; ++i)
    {
      const OpponentHold & h = holds[i];
      const int32_t bodies = model.njoints - 1;
      if (h.body < 0 || h.body >= bodies || h.other < -1 || h.other >= bodies || (h.rows != 3 && h.rows != 6))
        throw std::invalid_argument("hold " + std::to_string(i) + " names no body, or has neither 3 nor 6 rows");
      // The world is Pinocchio's joint 0.
      models.emplace_back(
        h.rows == 3 ? pin::CONTACT_3D : pin::CONTACT_6D, model, pin::JointIndex(h.body + 1),
        placement(h.rotation, h.translation), pin::JointIndex(h.other + 1),
        placement(h.other_rotation, h.other_translation), pin::LOCAL);
      only_world = only_world && h.other == -1;
    }
    return std::make_shared<Held>(model, models, only_world);
  }

  int64_t size(const Held & held, int32_t quantity)
  {
    const int64_t nv = held.model.nv;
    switch (quantity)
    {
    case OPPONENT_CONSTRAINED_FD:
    case OPPONENT_CONSTRAINED_FD_CONTACT_ABA:
    case OPPONENT_CONSTRAINED_FD_PV:
      return nv;
    case OPPONENT_CONSTRAINED_FD_DERIVATIVES:
      return nv + 3 * nv * nv;
    case OPPONENT_IMPULSE_DERIVATIVES:
      return nv;
    }
    return 0;
  }

  int64_t size_kept(const Held & held, int32_t quantity)
  {
    const int64_t nv = held.model.nv, m = held.rows;
    switch (quantity)
    {
    case OPPONENT_CONSTRAINED_FD_DERIVATIVES:
      return nv + m + 3 * (nv + m) * nv;
    case OPPONENT_IMPULSE_DERIVATIVES:
      return nv + m + 2 * (nv + m) * nv;
    }
    return nv + m;
  }

  void write(const Held & held, int32_t quantity, double * out)
  {
    const Eigen::Index nv = held.model.nv;
    const auto vector = [&](const auto & x) { Eigen::Map<VectorXd>(out, nv) = x; };
    const auto matrix = [&](Eigen::Index at, const MatrixXd & x) { Eigen::Map<MatrixXd>(out + at, nv, nv) = x; };
    switch (quantity)
    {
    case OPPONENT_CONSTRAINED_FD:
      return vector(held.data.ddq);
    case OPPONENT_CONSTRAINED_FD_CONTACT_ABA:
      return vector(held.data_of_aba.ddq);
    case OPPONENT_CONSTRAINED_FD_PV:
      return vector(held.data_of_pv.ddq);
    case OPPONENT_CONSTRAINED_FD_DERIVATIVES:
      vector(held.data.ddq);
      matrix(nv, held.motion.dq);
      matrix(nv + nv * nv, held.motion.dv);
      return matrix(nv + 2 * nv * nv, held.motion.dx);
    case OPPONENT_IMPULSE_DERIVATIVES:
      return vector(held.data.dq_after);
    }
  }

  double time(Held & o, int32_t quantity, const std::vector<State> & states, int32_t reps, double * places, int32_t kept)
  {
    const Eigen::Index nv = o.model.nv, m = o.rows;
    int32_t next = 0;
    const int64_t each = size_kept(o, quantity);
    const auto run = [&](auto call) {
      const auto start = Clock::now();
      auto state = states.begin();
      for (int32_t i = 0; i < reps; ++i)
      {
        call(*state, places ? places + each * next : nullptr);
        if (++state == states.end())
          state = states.begin();
        next = next + 1 == kept ? 0 : next + 1;
      }
      return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    };
    const auto keep = [&](double * to, const auto & ddq, const auto & lambda) {
      if (!to)
        return;
      Eigen::Map<VectorXd>(to, nv) = ddq;
      Eigen::Map<VectorXd>(to + nv, lambda.size()) = lambda;
    };
    const auto keep_all = [&](double * to, std::initializer_list<const MatrixXd *> matrices) {
      if (!to)
        return;
      to += nv + m;
      for (const MatrixXd * matrix : matrices)
      {
        Eigen::Map<MatrixXd>(to, matrix->rows(), matrix->cols()) = *matrix;
        to += matrix->size();
      }
    };
    const auto world = [&] {
      if (!o.only_world)
        throw std::invalid_argument("this algorithm holds bodies to the world only");
    };
    switch (quantity)
    {
    case OPPONENT_CONSTRAINED_FD:
      return run([&](const State & s, double * to) {
        pin::constraintDynamics(o.model, o.data, s.q, s.v, s.x, o.models, o.datas, o.settings);
        keep(to, o.data.ddq, o.data.lambda_c);
      });
    case OPPONENT_CONSTRAINED_FD_CONTACT_ABA:
      world();
      return run([&](const State & s, double * to) {
        pin::contactABA(o.model, o.data_of_aba, s.q, s.v, s.x, o.models, o.datas, o.settings);
        keep(to, o.data_of_aba.ddq, o.data_of_aba.lambda_c_prox);
      });
    case OPPONENT_CONSTRAINED_FD_PV:
      world();
      return run([&](const State & s, double * to) {
        if (o.frames.models.empty())
          pin::pv(o.model, o.data_of_pv, s.q, s.v, s.x, o.points.models, o.points.datas, o.settings);
        else
          pin::pv(o.model, o.data_of_pv, s.q, s.v, s.x, o.frames.models, o.frames.datas, o.settings);
        keep(to, o.data_of_pv.ddq, o.data_of_pv.lambdaA[0]);
      });
    case OPPONENT_CONSTRAINED_FD_DERIVATIVES:
      // It takes no memory of a caller's for the derivatives of forces, so results that are kept are copied.
      return run([&](const State & s, double * to) {
        pin::constraintDynamics(o.model, o.data, s.q, s.v, s.x, o.models, o.datas, o.settings);
        pin::computeConstraintDynamicsDerivatives(
          o.model, o.data, o.models, o.datas, o.settings, o.motion.dq, o.motion.dv, o.motion.dx, o.forces.dq,
          o.forces.dv, o.forces.dx);
        keep(to, o.data.ddq, o.data.lambda_c);
        keep_all(to, {&o.motion.dq, &o.motion.dv, &o.motion.dx, &o.forces.dq, &o.forces.dv, &o.forces.dx});
      });
    case OPPONENT_IMPULSE_DERIVATIVES:
      return run([&](const State & s, double * to) {
        pin::impulseDynamics(o.model, o.data, s.q, s.v, o.models, o.datas, 0.0, o.settings);
        pin::computeImpulseDynamicsDerivatives(
          o.model, o.data, o.models, o.datas, 0.0, o.settings, o.motion.dq, o.motion.dv, o.forces.dq, o.forces.dv);
        keep(to, o.data.dq_after, o.data.impulse_c);
        keep_all(to, {&o.motion.dq, &o.motion.dv, &o.forces.dq, &o.forces.dv});
      });
    }
    throw std::invalid_argument("unknown quantity " + std::to_string(quantity));
  }
} // namespace opponent
