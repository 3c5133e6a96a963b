import type { SettingsText } from '../../touchpoints/administration/settings-help';

/** An empty field is one that was not given. */
export function settingsOf(form: Record<string, string>): SettingsText {
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
