import { readFileSync } from 'node:fs';

export const title = 'packages that production installs';

/** @returns {import('../support/judge.mjs').Measurement} */
export function measure() {
  /** @type {{ packages: Record<string, { dev?: boolean, devOptional?: boolean, optional?: boolean }> }} */
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const count = Object.entries(packages).filter(
    ([path, { dev, devOptional, optional }]) => path !== '' && !dev && !devOptional && !optional,
  ).length;
  return {
    table: { production: { packages: count } },
    figures: [{ name: 'production packages', value: count, atMost: 230 }],
  };
}
