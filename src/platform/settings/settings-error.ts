/** One line for each setting that is wrong or missing. */
export class SettingsError extends Error {
  constructor(
    readonly lines: string[],
    options?: ErrorOptions,
  ) {
    super(`Some settings are wrong:\n${lines.map((line) => `  ${line}`).join('\n')}`, options);
  }
}
