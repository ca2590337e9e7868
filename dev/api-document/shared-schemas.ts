// The schemas that the API document states once, by their names in it. Copies in operations are found by their content and
// replaced by a reference. A name is public: generated clients use it.

import { accessTokenSchema } from "../../functions/access/access-tokens.ts";
import { cdEventSchema } from "../../functions/changes/senders/cdevents.ts";
import { plainChangeSchema } from "../../functions/changes/senders/plain.ts";
import { comparisonSchema } from "../../functions/incidents/detail/compare-incidents.ts";
import { incidentStepSchema } from "../../functions/incidents/detail/steps.ts";
import { incidentMuteSchema } from "../../functions/incidents/incident-records.ts";
import { observationDetailSchema } from "../../functions/incidents/observation-detail.ts";
import { jobRunSchema } from "../../functions/jobs/job-records.ts";
import { runbookTotalsSchema } from "../../functions/knowledge/runbook-uses.ts";
import { textDetailSchema, textEntrySchema } from "../../functions/knowledge/text-records.ts";
import { observationEntrySchema } from "../../functions/memory/memory-lists.ts";
import { notificationEventSchema } from "../../functions/notifications/targets/webhook.ts";
import { outcomesSchema } from "../../functions/quality/outcomes-by-day.ts";
import { readySchema } from "../../functions/routes/health.ts";
import { alertReceiptSchema } from "../../functions/routes/v1/alerts.ts";
import { changeReceiptSchema } from "../../functions/routes/v1/changes/report-changes.ts";
import { domainSchema } from "../../functions/routes/v1/domains/domains.ts";
import { evidenceSourceRecordSchema } from "../../functions/routes/v1/evidence/sources.ts";
import { incidentSchema } from "../../functions/routes/v1/incidents/incident-schema.ts";
import { muteRecordSchema } from "../../functions/routes/v1/mutes.ts";
import { notificationTargetSchema } from "../../functions/routes/v1/notifications.ts";
import { sessionSchema } from "../../functions/routes/v1/session/session-schema.ts";
import { ingestedRunbookSchema, ingestedSchema } from "../../functions/routes/v1/text-schemas.ts";
import { triageRequestSchema } from "../../functions/routes/v1/triage-request.ts";
import { answerSchema } from "../../functions/schemas/answer.ts";
import { correctionSchema } from "../../functions/schemas/correction.ts";
import { domainResultSchema } from "../../functions/schemas/domain.ts";
import { fixSchema } from "../../functions/schemas/fix.ts";
import { importedSchema } from "../../functions/schemas/imported.ts";
import { recentChangeSchema } from "../../functions/schemas/live-evidence.ts";
import { handoverIncidentSchema, handoverSchema } from "../../functions/schemas/reports.ts";
import {
  incidentHitSchema,
  pastAnswerHitSchema,
  procedureHitSchema,
  runbookHitSchema,
  warningSchema,
} from "../../functions/schemas/triage-result.ts";
import { checkResultSchema } from "../../lib/checks/check.ts";

const { features } = runbookHitSchema.shape;
const { definition } = domainSchema.shape;
const { total } = outcomesSchema.shape;

export const SHARED_SCHEMAS = {
  AccessToken: accessTokenSchema,
  AlertReceipt: alertReceiptSchema,
  AnswerCounts: total.shape.answers,
  CdEvent: cdEventSchema,
  Change: plainChangeSchema,
  ChangeReceipt: changeReceiptSchema,
  CheckResult: checkResultSchema,
  ComparedValue: comparisonSchema.shape.facts.element,
  Correction: correctionSchema,
  DependencyHealth: readySchema.shape.dependencies.shape.database,
  Domain: domainSchema,
  DomainDefinition: definition,
  DomainHint: definition.shape.hints.unwrap().element,
  EvidenceSource: evidenceSourceRecordSchema,
  FailureSignature: observationEntrySchema.shape.signature,
  FeatureContribution: features.shape.type.unwrap(),
  Fix: fixSchema,
  Handover: handoverSchema,
  ImportedFrom: importedSchema,
  IncidentHit: incidentHitSchema,
  IncidentMute: incidentMuteSchema.unwrap(),
  IncidentRecord: incidentSchema,
  IncidentStep: incidentStepSchema,
  IngestedDocument: ingestedSchema,
  IngestedRunbook: ingestedRunbookSchema,
  JobRun: jobRunSchema,
  JudgementCounts: total.shape.judgements,
  Mute: muteRecordSchema,
  NameAndRule: domainResultSchema,
  NotificationEvent: notificationEventSchema,
  NotificationTarget: notificationTargetSchema,
  Observation: observationEntrySchema,
  ObservationDetail: observationDetailSchema,
  PastAnswerHit: pastAnswerHitSchema,
  ProcedureHit: procedureHitSchema,
  Readiness: readySchema,
  RecentChange: recentChangeSchema,
  HandoverIncident: handoverIncidentSchema,
  RunbookTotals: runbookTotalsSchema,
  SearchFeatures: features,
  Session: sessionSchema,
  Statement: answerSchema.shape.likely_causes.element,
  Step: answerSchema.shape.confirm.element,
  StoredText: textEntrySchema,
  StoredTextDetail: textDetailSchema,
  TriageRequest: triageRequestSchema,
  Warning: warningSchema,
};
