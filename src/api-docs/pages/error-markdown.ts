import { ERROR_CATALOG, type ErrorCode, FIELD_ERROR_CODES, FIELD_ERRORS } from '../../platform/errors/error-catalog';
import { problemExample } from '../../platform/errors/problem-example';
import { type Guidance, guidanceOn } from '../../platform/errors/error-guidance';

export const ERROR_CODES = Object.keys(ERROR_CATALOG) as ErrorCode[];

/** The list of all codes. */
export const errorList = (): string => `
# Errors

Every answer from status 400 up is \`application/problem+json\` (RFC 9457). Its \`code\` is for programs and never changes;
its texts are for people. More codes may be added: treat one that you do not know as its status asks.

| Status | Code | Meaning |
| --- | --- | --- |
${ERROR_CODES.map((code) => {
  const { status, title } = guidanceOn(code);
  return `| ${status} | [\`${code}\`](/docs/errors/${code}) | ${title} |`;
}).join('\n')}
`;

/** The page that the `type` of a problem points to. */
export function errorPage(code: ErrorCode): string {
  const guidance = guidanceOn(code);
  const { status, title, meaning, advice } = guidance;
  return `
# \`${code}\`

Status ${status}. [All errors](/docs/errors)

## What it means

${`${title} ${meaning}`.trim()}

## What to do

${advice}

## Does a retry help?

${retryAdvice(guidance)}

${code === 'VALIDATION_FAILED' ? FIELD_CODES : ''}

## Example

\`\`\`json
${JSON.stringify(problemExample(code), null, 2)}
\`\`\`
`;
}

const FIELD_CODES = `
## The codes of fields

| Code | Meaning |
| --- | --- |
${FIELD_ERROR_CODES.map((code) => `| \`${code}\` | ${FIELD_ERRORS[code]} |`).join('\n')}
`;

function retryAdvice({ retryHelps, isOutcomeUnknown }: Guidance): string {
  if (!retryHelps) return 'No: the same request will be refused again.';
  if (isOutcomeUnknown) return 'Yes, where it is safe: this request may have been done already.';
  return 'Yes: the same request can succeed later.';
}
