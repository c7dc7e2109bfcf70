/** Whether an operation failed for want of room: on the disk, or within the quota of its user. */
export const isDiskFull = (error: unknown): boolean => {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EDQUOT'
}
