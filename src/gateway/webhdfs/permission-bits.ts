/** Of a directory whose permission is set without saying which. */
export const defaultPermission = '755'

/** Octal digits, which the contract has checked, as bits. */
export const toBits = (digits: string): number => Number.parseInt(digits, 8)
