// npm run bench -- SCENARIO: prints a table, and exits 0 only when the scenario's goals hold.
const SCENARIOS = ['storm', 'known-address'];

const [scenario = ''] = process.argv.slice(2);
if (!SCENARIOS.includes(scenario)) {
  console.error(`usage: npm run bench -- ${SCENARIOS.join('|')}`);
  process.exit(2);
}

const { run } = /** @type {{ run: () => Promise<boolean> }} */ (await import(`./${scenario}.mjs`));
process.exitCode = (await run()) ? 0 : 1;
