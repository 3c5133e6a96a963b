/** Why an import or export failed, in one sentence for the administrator. */
export class TransferError extends Error {}

/** The reason in a sentence, where the operating system gives one. */
export const fileError = (path: string, cause: unknown): TransferError => {
  const { code } = cause as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    ENOENT: 'there is no such file or directory',
    EACCES: 'permission denied',
    EEXIST: 'the file exists already',
    EISDIR: 'it is a directory',
  };
  return new TransferError(`${path}: ${reasons[code ?? ''] ?? String(cause)}`, { cause });
};
