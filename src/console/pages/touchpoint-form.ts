import type { SettingsText } from '../../touchpoints/administration/settings-help';
import { parseSettings } from '../../touchpoints/administration/settings-text';
import type { TouchpointSettings } from '../../touchpoints/administration/touchpoints.service';
import { TOUCHPOINT_CODE, TOUCHPOINT_CODE_RULE } from '../../touchpoints/touchpoint-code';
import { checkFields, RefusedError } from '../http/refusal';

type Form = Record<string, string>;

export function newTouchpointIn(form: Form): { code: string; settings: Partial<TouchpointSettings> } {
  checkFields({ code: () => codeIn(form), ...settingChecks(form) });
  return { code: codeIn(form), settings: parseSettings(settingsOf(form)) };
}

export function settingsIn(form: Form): Partial<TouchpointSettings> {
  checkFields(settingChecks(form));
  return parseSettings(settingsOf(form));
}

function codeIn({ code: typed = '' }: Form): string {
  const code = typed.trim();
  if (TOUCHPOINT_CODE.test(code)) return code;
  throw new RefusedError(TOUCHPOINT_CODE_RULE);
}

const settingChecks = (form: Form) =>
  Object.fromEntries(
    Object.entries(settingsOf(form)).map(([name, text]: [string, string | undefined]) => [
      name,
      () => parseSettings({ [name]: text }),
    ]),
  );
/** An empty field is one that was not given. */
function settingsOf(form: Form): SettingsText {
  const given = (name: string) => {
    const text = form[name]?.trim();
    return text === '' ? undefined : text;
  };
  return {
    ...{ name: given('name'), authMode: given('authMode'), channelProof: given('channelProof') },
    ...{ rateLimit: given('rateLimit'), smsCountries: given('smsCountries') },
    ...{ sessionMax: given('sessionMax'), sessionIdle: given('sessionIdle') },
  };
}
