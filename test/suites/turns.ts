/** Calls back in every turn of the event loop until the work is done; resolves to what the work resolves to. */
export const inEachTurn = async <T>(callback: () => void, work: () => Promise<T>): Promise<T> => {
  let isDone = false
  const turn = (): void => {
    callback()
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  try {
    return await work()
  } finally {
    isDone = true
  }
}
