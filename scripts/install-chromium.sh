#!/usr/bin/env bash
# Installs the browser of `npm run test:browser` (Debian) where it is missing.
set -euo pipefail

command -v chromium >/dev/null || {
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null
}
chromium --version
