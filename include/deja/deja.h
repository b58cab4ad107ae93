// SPDX-License-Identifier: MIT
/// \file
/// Deja: data locality by reuse distance. This header includes the entire
/// public interface; each header below can also be used alone.
#ifndef DEJA_DEJA_H
#define DEJA_DEJA_H

#include <deja/advice.h>
#include <deja/attribution.h>
#include <deja/batch.h>
#include <deja/breakdown.h>
#include <deja/components.h>
#include <deja/corun.h>
#include <deja/diff.h>
#include <deja/document.h>
#include <deja/elements.h>
#include <deja/engine.h>
#include <deja/error.h>
#include <deja/false_sharing.h>
#include <deja/filter.h>
#include <deja/generate.h>
#include <deja/hierarchy.h>
#include <deja/histogram.h>
#include <deja/joint.h>
#include <deja/limit.h>
#include <deja/measure.h>
#include <deja/model.h>
#include <deja/observer.h>
#include <deja/observer_options.h>
#include <deja/option.h>
#include <deja/orders.h>
#include <deja/partitions.h>
#include <deja/phases.h>
#include <deja/pipeline.h>
#include <deja/place.h>
#include <deja/predict.h>
#include <deja/profile.h>
#include <deja/render.h>
#include <deja/reorder.h>
#include <deja/report.h>
#include <deja/reuse.h>
#include <deja/sample.h>
#include <deja/section.h>
#include <deja/session.h>
#include <deja/sharers.h>
#include <deja/sharing.h>
#include <deja/sink.h>
#include <deja/source.h>
#include <deja/spatial.h>
#include <deja/stall.h>
#include <deja/summary.h>
#include <deja/tlb.h>
#include <deja/tracing.h>
#include <deja/version.h>
#include <deja/windows.h>

#endif
