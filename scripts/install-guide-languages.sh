#!/usr/bin/env bash
# Installs what the programs of the guides need (Debian) where it is missing: their test leaves out a language that is not there.
set -euo pipefail

has_all() {
  curl --version && jq --version && python3 --version && javac --version && php -r 'exit(extension_loaded("curl") ? 0 : 1);'
} >/dev/null 2>&1

has_all || {
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    curl jq python3 default-jdk-headless php-cli php-curl >/dev/null
}
has_all
curl --version | head -n 1
jq --version
python3 --version
php --version | head -n 1
javac --version
