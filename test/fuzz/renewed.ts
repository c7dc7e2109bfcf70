/** Something that fills up as it is used, such as a server with a spool in memory. */
export type Renewed<T> = {
  /** The present one; a fresh one after a number of calls. */
  get(): Promise<T>
  close(): Promise<void>
}

/** Makes one when it is first asked for, and another after `uses` calls. */
export const createRenewed = <T extends { close(): Promise<unknown> }>(
  create: () => Promise<T>,
  uses: number,
): Renewed<T> => {
  let present: Promise<T> | undefined
  let left = 0
  const close = async (): Promise<void> => {
    const old = await present
    present = undefined
    left = 0
    await old?.close()
  }
  return {
    get: async () => {
      if (left === 0) {
        await close()
        left = uses
      }
      left -= 1
      present ??= create()
      return present
    },
    close,
  }
}
