/** How many messages may be sent; the reasons for the numbers are in docs/decisions/verification.md. */

/** In milliseconds: between two messages to one address that somebody asked for. */
export const COOL_DOWN = 60_000;

/** Messages to one address that somebody asked for, in an hour: codes of every kind. */
export const SENDS_PER_DESTINATION = 5;

/** Messages to one address that nobody asked for, in an hour: an allowance of their own, which codes cannot use up. */
export const NOTICES_PER_DESTINATION = 10;

/** Messages that one consumer asks for, in an hour. */
export const SENDS_PER_CONSUMER = 10;

/** Messages that are asked for from one network address at one touchpoint, in an hour. */
export const SENDS_PER_CONSUMER_IP = 30;

/** Messages that are asked for at one touchpoint, in an hour. */
export const SENDS_PER_TOUCHPOINT = 30_000;

/** SMS to one calling code that are asked for at one touchpoint, in an hour; 0 is unlimited, as the daily limit is. */
export const smsPerCallingCode = (smsDailyLimit: number): number =>
  smsDailyLimit === 0 ? 0 : Math.max(1_000, Math.ceil(smsDailyLimit / 5));
