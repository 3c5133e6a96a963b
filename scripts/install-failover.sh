#!/usr/bin/env bash
# Installs what the failover tests run (Debian), and starts none of it: PostgreSQL, Patroni, etcd, HAProxy, nginx, Redis.
set -euo pipefail

missing=()
for pair in patroni:patroni etcd:etcd-server haproxy:haproxy nginx:nginx redis-server:redis-server; do
  command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
done
# Its programs are on no path but that of a version.
compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || missing+=(postgresql)
((${#missing[@]})) || exit 0
apt-get -o DPkg::Lock::Timeout=300 update -qq
RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends \
  "${missing[@]}" >/dev/null
