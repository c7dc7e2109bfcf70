/** What a caller may: send events, read and write files, view and operate the management. None includes another. */
export const roles = ['send', 'read', 'write', 'view', 'operate'] as const
export type Role = (typeof roles)[number]
