import { textOf } from './members';
import { isObject } from '../../../profiles/profile.fields';
import { wholeError } from '../record-error';
import type { DescribeUser } from './foreign-user';
import { timeText } from './values';

/** Of running flows, or of the row itself. */
const INTERNAL = [
  ...['instance_id', 'aud', 'role', 'confirmed_at', 'invited_at', 'is_anonymous', 'reauthentication_token'],
  ...['confirmation_token', 'confirmation_sent_at', 'recovery_token', 'recovery_sent_at', 'reauthentication_sent_at'],
  ...['email_change', 'email_change_token', 'email_change_token_new', 'email_change_token_current'],
  ...['email_change_sent_at', 'email_change_confirm_status'],
  ...['phone_change', 'phone_change_token', 'phone_change_sent_at'],
];

/** A row of `auth.users`, with those of `auth.identities` in a member `identities` if the export has them. */
export const describeSupabaseUser: DescribeUser = (user, now) => {
  user.ignore(...INTERNAL);
  // What the identities and the columns say again.
  const profile = user.within('raw_user_meta_data');
  profile.ignore('sub', 'email', 'email_verified', 'phone', 'phone_verified', 'iss', 'provider_id', 'user_name');
  user.within('raw_app_meta_data').ignore('provider', 'providers');
  const phone = user.take('phone');
  const bannedUntil = timeText(user.take('banned_until'));
  return {
    id: user.take('id'),
    email: user.take('email'),
    emailVerifiedAt: user.take('email_confirmed_at'),
    // Kept without the sign.
    phone: typeof phone === 'string' && /^\d/.test(phone) ? `+${phone}` : phone,
    phoneVerifiedAt: user.take('phone_confirmed_at'),
    firstName: profile.first('given_name', 'first_name', 'firstName'),
    lastName: profile.first('family_name', 'last_name', 'lastName'),
    name: profile.first('full_name', 'name', 'display_name'),
    locale: profile.take('locale'),
    passwordHash: user.take('encrypted_password'),
    isDisabled: typeof bannedUntil === 'string' && bannedUntil > now.toISOString(),
    createdAt: user.take('created_at'),
    updatedAt: user.take('updated_at'),
    identities: user
      .list('identities')
      .filter(({ provider }) => provider !== 'email' && provider !== 'phone')
      .map(({ provider, provider_id, identity_data, created_at }) => ({
        provider: textOf(provider),
        subject: provider_id ?? (isObject(identity_data) ? identity_data.sub : undefined),
        linkedAt: created_at ?? undefined,
      })),
    errors: user.take('deleted_at') === undefined ? [] : [wholeError('INVALID_VALUE', 'was deleted there')],
  };
};
