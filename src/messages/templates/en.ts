import type { Wordings } from './wording';

const minutes = (count: number) => (count === 1 ? '1 minute' : `${count} minutes`);
const support = (contact: string | null) => contact ?? 'our customer service';

/** English. */
export const en: Wordings = {
  'verification-code': ({ code, expiresInMinutes }) => ({
    subject: 'Your confirmation code',
    body: [
      'Hello,',
      'Please use this code to confirm your e-mail address:',
      { code },
      `The code works for ${minutes(expiresInMinutes)}. Please do not share it with anyone.`,
      'If you did not ask for this code, you can ignore this message: nothing will change.',
    ],
    sms: `${code} is your confirmation code. It works for ${minutes(expiresInMinutes)}. Do not share it. If you did not ask for it, ignore this message.`,
  }),
  'recovery-code': ({ code, expiresInMinutes, touchpointName }) => ({
    subject: 'Your code for a new password',
    body: [
      'Hello,',
      `Please use this code to choose a new password at ${touchpointName}:`,
      { code },
      `The code works for ${minutes(expiresInMinutes)}. Please do not share it with anyone: we will never ask you for it.`,
      'If you did not ask for this code, you can ignore this message: your password stays as it is.',
    ],
    sms: `${code} is your code for a new password at ${touchpointName}. It works for ${minutes(expiresInMinutes)}. Do not share it. Not you? Ignore this.`,
  }),
  'account-exists': () => ({
    subject: 'You already have an account',
    body: [
      'Hello,',
      'Someone, probably you, tried to register with this e-mail address. It already belongs to an account, so no new one was created.',
      'If it was you, please log in as usual.',
      'If it was not you, you can ignore this message: nothing has changed.',
    ],
    sms: 'Someone, probably you, tried to register with this number. You already have an account: please log in. If it was not you, ignore this message.',
  }),
  'identifier-changed': ({ newDestinationMasked }, contact) =>
    newDestinationMasked === null
      ? {
          subject: 'Your e-mail address was removed',
          body: [
            'Hello,',
            'This e-mail address was removed from your account. From now on we will no longer write to it.',
            `If you did not make this change, please contact ${support(contact)} at once.`,
          ],
          sms: `This phone number was removed from your account. If it was not you, please contact ${support(contact)} at once.`,
        }
      : {
          subject: 'Your e-mail address was changed',
          body: [
            'Hello,',
            `The e-mail address of your account was changed to ${newDestinationMasked}. From now on we will write to the new address.`,
            `If you did not make this change, please contact ${support(contact)} at once.`,
          ],
          sms: `The phone number of your account was changed to ${newDestinationMasked}. If it was not you, please contact ${support(contact)} at once.`,
        },
  'identity-linked': ({ issuerName }, contact) => ({
    subject: 'A new way to log in was added',
    body: [
      'Hello,',
      `From now on you can also log in to your account through ${issuerName}.`,
      `If you did not make this change, please contact ${support(contact)} at once.`,
    ],
    sms: `You can now also log in to your account through ${issuerName}. If it was not you, please contact ${support(contact)} at once.`,
  }),
  'password-changed': (_, contact) => ({
    subject: 'Your password was changed',
    body: [
      'Hello,',
      'The password of your account was just changed. You have been logged out on all other devices.',
      `If you did not make this change, please contact ${support(contact)} at once.`,
    ],
    sms: `The password of your account was just changed. If it was not you, please contact ${support(contact)} at once.`,
  }),
  'password-recovered': (_, contact) => ({
    subject: 'You have a new password',
    body: [
      'Hello,',
      'A new password was just chosen for your account with a code that we had sent. You have been logged out on all devices.',
      `If you did not do this, please contact ${support(contact)} at once.`,
    ],
    sms: `A new password was just chosen for your account with a code. If it was not you, please contact ${support(contact)} at once.`,
  }),
  'recovery-advised': (_, contact) => ({
    subject: 'Please choose a new password',
    body: [
      'Hello,',
      'We advise you to choose a new password. Go to where you usually sign in and choose “Forgot your password?”: we will then send you a code.',
      'Your present password works until then. We will never ask you for your password or for a code.',
      `If you have a question, please contact ${support(contact)}.`,
    ],
    sms: `Please choose a new password: use "Forgot your password?" where you sign in. We never ask you for codes. Questions: ${support(contact)}.`,
  }),
};
