import { createProgress } from '../print/progress.ts'
import { toCount } from '../print/units.ts'

/** The totals of a transfer of many files. */
export type Amount = { readonly files: number; readonly bytes: number }

/** A line that shows how far a transfer of many files is. */
export type TransferProgress = {
  /** A file's own progress: feeds it the bytes so far. */
  file(): (done: number) => void
  /** One file is done, or needs nothing. @param skipped bytes that did not have to move */
  fileDone(skipped?: number): void
  /** Makes room for another line. */
  clear(): void
}

/** @param total counts what there is; asked only where a terminal shows it */
export const createTransferProgress = (label: string, total: () => Promise<Amount>): TransferProgress => {
  const progress = createProgress({ label })
  let all: Amount | undefined
  // Without it the line just shows less.
  if (process.stderr.isTTY)
    total().then(
      amount => {
        all = amount
      },
      () => {},
    )
  let [files, bytes] = [0, 0]
  const draw = (): void => {
    const of = all === undefined ? '' : `/${toCount(all.files)}`
    // Whole only when the last file is: a full bar means the end.
    progress.update(bytes, all && Math.max(all.bytes, bytes), `${toCount(files)}${of} files`)
  }
  return {
    file: () => {
      let before = 0
      return done => {
        bytes += done - before
        before = done
        draw()
      }
    },
    fileDone: (skipped = 0) => {
      files++
      bytes += skipped
      draw()
    },
    clear: () => progress.end(),
  }
}

/** Prints something in place of the line, which comes back below it. */
export const withoutLine =
  (progress: TransferProgress, tell: (text: string) => void) =>
  (text: string): void => {
    progress.clear()
    tell(text)
  }
