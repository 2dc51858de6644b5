#!/usr/bin/env bash
# Takes the pictures of the monitor's page that README.md and docs/training_monitor show: of its demonstration, and of
# made-up fleets where a picture needs one; and those of the pages of the GPU scheduler and the GPU healer, into
# docs/gpu_scheduler and docs/gpu_healer.
# usage: pictures.sh [FOLDER]     of the monitor's; default: docs/training_monitor
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
use_ccache
configure release -B "$BUILD/simulation" -DKCONTROL_DEVELOPER_MODE=ON -DKCONTROL_WARNINGS=OFF
cmake --build "$BUILD/simulation" --parallel "$(build_jobs)" --target page_server labeler_page_server healer_page_server training_monitor
export KCONTROL_PAGE_SERVER=$BUILD/simulation/tests/page_server
export KCONTROL_LABELER_PAGE_SERVER=$BUILD/simulation/tests/labeler_page_server
export KCONTROL_HEALER_PAGE_SERVER=$BUILD/simulation/tests/healer_page_server
export KCONTROL_MONITOR=$BUILD/simulation/examples/apps/training_monitor/training_monitor
python3 "$ROOT/tests/browser/demo_pictures.py" "$@"
python3 "$ROOT/tests/browser/pictures.py" "$@"
python3 "$ROOT/tests/browser/gpu_scheduler_pictures.py"
python3 "$ROOT/tests/browser/healer_pictures.py"
