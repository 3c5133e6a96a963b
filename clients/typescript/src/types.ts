import type { components } from './schema.js';

type Schemas = components['schemas'];

export type Registration = Schemas['Register'];
export type RegistrationCompletion = Schemas['CompleteRegistration'];
export type RegistrationStarted = Schemas['RegistrationStarted'];
export type Identification = Schemas['Identify'];
export type Login = Schemas['Login'];
export type Session = Schemas['Session'];
export type PasswordReset = Schemas['PasswordReset'];
export type PasswordChange = Schemas['PasswordChange'];
export type Profile = Schemas['Profile'];
export type ProfilePatch = Schemas['ProfilePatch'];
export type ChallengeSent = Schemas['ChallengeSent'];
export type Verified = Schemas['Verified'];
export type RecoveryStarted = Schemas['RecoveryStarted'];
export type LiveSession = Schemas['LiveSession'];
export type Country = Schemas['Country'];
export type Subdivision = Schemas['Subdivision'];
export type Channel = ChallengeSent['channel'];

/** A profile and the entity tag by which a later change can be made conditional. */
export interface TaggedProfile {
  profile: Profile;
  etag: string | null;
}
