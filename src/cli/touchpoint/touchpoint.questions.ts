import {
  AUTHENTICATION_MODES,
  CHANNEL_PROOFS,
  type SettingsText,
} from '../../touchpoints/administration/settings-help';
import { TOUCHPOINT_CODE, TOUCHPOINT_CODE_RULE } from '../../touchpoints/touchpoint-code';
import { type Ask, asking } from '../questions';

/** Asks for what `touchpoint create` was not given. */
export const askForTouchpoint = (given: SettingsText): Promise<SettingsText & { code: string }> =>
  asking(async (ask) => {
    const code = await ask({
      text: 'Code (3 to 64 of a-z, 0-9 and -)',
      refusal: (answer) => (TOUCHPOINT_CODE.test(answer) ? null : TOUCHPOINT_CODE_RULE),
    });
    const name = given.name ?? (await ask({ text: 'Name', fallback: code }));
    const authMode = given.authMode ?? (await choice(ask, 'Authentication mode', AUTHENTICATION_MODES));
    const channelProof = given.channelProof ?? (await choice(ask, 'Channel proof', CHANNEL_PROOFS));
    return { ...given, code, name, authMode, channelProof };
  });

/** One of these in any case; the first is the default. */
async function choice(ask: Ask, label: string, values: string[]): Promise<string> {
  const answer = await ask({
    text: `${label} (${values.join(', ')})`,
    fallback: values[0],
    refusal: (typed) => (values.includes(typed.toUpperCase()) ? null : `It must be one of ${values.join(', ')}`),
  });
  return answer.toUpperCase();
}

/** What whoever has just created a touchpoint does with its key. */
export const firstUse = ({ code, key, serviceUrl }: { code: string; key: string; serviceUrl: string }): string => `
For the application’s settings (.env):

TOUCHPOINT_CODE=${code}
TOUCHPOINT_KEY=${key}

To try it:

curl -i ${serviceUrl}/api/v1/reference/countries -H 'X-Touchpoint-Code: ${code}' -H 'X-Touchpoint-Key: ${key}'
`;
