/** When to look again for a temporary file that was not there yet, in ms. */
import { startTimeout } from '../runtime/timers.ts'

const lookAgainMs = [100, 500, 2_000, 10_000]

/**
 * Removes a temporary file. Best effort: what cannot be removed now was never visible under its name. A data node may
 * make its file only after the upload was cut, so a missing file is looked up again, in the background.
 * @param remove deletes it, and says whether it was there
 * @param tidy follows the first attempt, and the one that found it; neither rejects
 */
export const discardTemporary = async (
  remove: () => Promise<boolean>,
  tidy: () => Promise<void> = async () => {},
): Promise<void> => {
  const isRemoved = await remove()
  await tidy()
  if (!isRemoved) lookAgain(lookAgainMs, remove, tidy)
}

const lookAgain = (
  [delay, ...later]: readonly number[],
  remove: () => Promise<boolean>,
  tidy: () => Promise<void>,
): void => {
  if (delay === undefined) return
  const look = async (): Promise<void> => {
    if (await remove()) await tidy()
    else lookAgain(later, remove, tidy)
  }
  startTimeout(() => void look(), delay).unref()
}
