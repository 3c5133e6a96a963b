// Prints how large the package is: as it is downloaded, and the code that runs, in kB (1000 bytes, rounded up).
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const directory = fileURLToPath(new URL('..', import.meta.url));
const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: directory });
const [packed] = JSON.parse(stdout.toString());
const code = packed.files.filter(({ path }) => /\.m?js$/.test(path)).reduce((sum, { size }) => sum + size, 0);
console.log(JSON.stringify({ download: Math.ceil(packed.size / 1000), code: Math.ceil(code / 1000) }));
