/** Guessers do not try longer ones. */
const MAX_LENGTH = 16;
const MIN_RUN_LENGTH = 3;

/** The alphabet, the digits, and the rows of keyboards: QWERTY, QWERTZ, AZERTY, ЙЦУКЕН. */
const ROWS = [
  ...['abcdefghijklmnopqrstuvwxyz', '01234567890123456789', '!@#$%^&*()_+'],
  ...['qwertyuiop[]', "asdfghjkl;'", 'zxcvbnm,./'],
  ...['qwertzuiopü', 'asdfghjklöä', 'yxcvbnm,.-'],
  ...['azertyuiop', 'qsdfghjklmù', 'wxcvbn,;:!'],
  ...['йцукенгшщзхъ', 'фывапролджэ', 'ячсмитьбю'],
];
const RUNS = ROWS.flatMap((row) => [row, Array.from(row).reverse().join('')]);

/** Whether a lower-case text is one thing repeated, or consists of runs along a row. */
export function isPattern(text: string): boolean {
  const characters = Array.from(text);
  return characters.length > 0 && characters.length <= MAX_LENGTH && (isRepetition(characters) || consistsOfRuns(text));
}

/** `aaaaaaaa`, `123123123`, and `12312312`, whose last repetition is incomplete. */
const isRepetition = (characters: string[]): boolean =>
  characters
    .slice(0, Math.floor(characters.length / 2))
    .some((_, period) =>
      characters.every((character, at) => at <= period || character === characters[at - period - 1]),
    );

/** `abcdefgh`, `qwertyuiop`, `87654321`, `1234qwer`, `abcd1111`. */
const consistsOfRuns = (text: string): boolean =>
  text === '' ||
  Array.from({ length: text.length }, (_, index) => index + 1).some(
    (length) => length >= MIN_RUN_LENGTH && isRun(text.slice(0, length)) && consistsOfRuns(text.slice(length)),
  );

const isRun = (text: string): boolean => /^(.)\1+$/u.test(text) || RUNS.some((run) => run.includes(text));
