/** Aborts when the administrator presses Ctrl-C or the process is told to end; a second time ends it at once. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    controller.abort();
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  return controller.signal;
}
