const ada = { type: 'PERSON', firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' };
const password = 'correct horse battery staple';
const address = {
  line1: '12 St James’s Square',
  line2: '2nd floor',
  postalCode: 'SW1Y 4JH',
  city: 'London',
  country: 'GB',
  subdivision: 'GB-ENG',
};
const attributes = { loyaltyTier: 'gold', newsletter: true };

/** Examples of requests, by operation, that are better shown without all their fields. */
export const REQUEST_EXAMPLES: Partial<Record<string, Record<string, { summary: string; value: object }>>> = {
  postRegister: {
    usual: { summary: 'A person with an e-mail address and a password', value: { ...ada, password } },
    complete: {
      summary: 'Every field',
      value: { ...ada, password, phone: '+12025550123', birthDate: '1990-12-31', locale: 'en-GB', address, attributes },
    },
    withoutPassword: { summary: 'At a touchpoint in OTP mode', value: ada },
  },
  patchMe: {
    change: { summary: 'Change some fields, keep the others', value: { locale: 'en-GB', address, attributes } },
    clear: { summary: 'Clear a field, and one inside another', value: { birthDate: null, address: { line2: null } } },
  },
};
