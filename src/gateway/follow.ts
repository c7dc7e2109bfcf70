/**
 * A controller whose signal also aborts when `signal` does. A listener, not `AbortSignal.any`: its signals are held
 * weakly on all sides, which costs garbage collection with each request.
 */
export const follow = (signal: AbortSignal): AbortController => {
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return controller
}
