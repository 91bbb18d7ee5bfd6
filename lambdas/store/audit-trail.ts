import { summaryOf, type AuditEntry, type AuditSubject, type RequestOrigin } from '../domain/audit';

/** An entry before it has an id and a time. */
export type AuditFacts = Omit<AuditEntry, 'id' | 'at'>;

/** Details of a write that its operation finds out. */
interface Findings extends Partial<Omit<AuditSubject, 'summary'>> {
  /** The names of the fields that change, or other short details. */
  readonly details?: readonly string[];
}

/**
 * The audit entry of an admin write. It is part of the table object that the operation gets, and `transact` adds it to
 * the first transaction that the operation commits, so that no operation can forget it.
 */
export class AuditTrail {
  private findings: Findings = {};
  private isRecorded = false;

  /**
   * @param facts the facts from the request itself; operations add theirs
   * @param summary a description of the action, and the names of the fields in the request
   */
  constructor(
    private readonly facts: Omit<AuditFacts, 'summary'>,
    private readonly summary: { readonly what: string; readonly details: readonly string[] },
  ) {}

  /** The name of who makes the request. */
  get actorName(): string {
    return this.facts.actor_name;
  }

  get origin(): RequestOrigin {
    const { request_id, source_ip, user_agent } = this.facts;
    return { request_id, source_ip, user_agent };
  }

  /** Adds details about the write; they apply to transactions that commit afterwards. */
  describe(findings: Findings): void {
    this.findings = { ...this.findings, ...findings };
  }

  /** The entry to write; undefined once it is recorded. */
  entry(): AuditFacts | undefined {
    if (this.isRecorded) return undefined;
    const { details = this.summary.details, ...subject } = this.findings;
    return { ...this.facts, ...subject, summary: summaryOf(this.summary.what, details) };
  }

  /** Marks the entry as committed. */
  recorded(): void {
    this.isRecorded = true;
  }
}
