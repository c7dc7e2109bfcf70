export const hourMs = 3_600_000

/** The first hour since the epoch that is not closed. @param afterMs after its end, until when its last files may still be on their way */
export const firstOpenHour = (now: number, afterMs: number): number => hourAt(now - afterMs)

/** The hour of a time, both since the epoch. */
export const hourAt = (ms: number): number => Math.floor(ms / hourMs)

/** `2026-11-22T08:00Z`, for people. */
export const hourText = (hour: number): string => `${new Date(hour * hourMs).toISOString().slice(0, 13)}:00Z`
