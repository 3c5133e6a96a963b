/** How many messages may be sent; the reasons for the numbers are in docs/decisions/verification.md. */

/** In milliseconds: between two requested messages to one address. */
export const COOL_DOWN = 60_000;

/** Requested messages to one address in an hour: codes of every kind. */
export const SENDS_PER_DESTINATION = 5;

/** Notices to one address in an hour; counted separately, so that codes cannot use them up. */
export const NOTICES_PER_DESTINATION = 10;

/** Messages that one consumer requests in an hour. */
export const SENDS_PER_CONSUMER = 10;

/** Messages requested from one network address at one touchpoint in an hour. */
export const SENDS_PER_CONSUMER_IP = 30;

/** Messages requested at one touchpoint in an hour. */
export const SENDS_PER_TOUCHPOINT = 30_000;

/** SMS to one calling code requested at one touchpoint in an hour; 0 is unlimited, as for the daily limit. */
export const smsPerCallingCode = (smsDailyLimit: number): number =>
  smsDailyLimit === 0 ? 0 : Math.max(1_000, Math.ceil(smsDailyLimit / 5));
