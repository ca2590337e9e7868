// The schemas that the API document states once, by their names in it. Copies in operations are found by their content and
// replaced by a reference. A name is public: generated clients use it.

import { checkResultSchema } from "../../../lib/checks/check.ts";
import { accessTokenSchema } from "../../access/access-tokens.ts";
import { cdEventSchema } from "../../changes/senders/cdevents.ts";
import { plainChangeSchema } from "../../changes/senders/plain.ts";
import { comparisonSchema } from "../../incidents/detail/compare-incidents.ts";
import { incidentStepSchema } from "../../incidents/detail/steps.ts";
import { incidentMuteSchema } from "../../incidents/incident-records.ts";
import { observationDetailSchema } from "../../incidents/observation-detail.ts";
import { jobRunSchema } from "../../jobs/job-records.ts";
import { textDetailSchema, textEntrySchema } from "../../knowledge/text-records.ts";
import { observationEntrySchema } from "../../memory/memory-lists.ts";
import { notificationEventSchema } from "../../notifications/targets/webhook.ts";
import { outcomesSchema } from "../../quality/outcomes-by-day.ts";
import { answerSchema } from "../../schemas/answer.ts";
import { correctionSchema } from "../../schemas/correction.ts";
import { domainResultSchema } from "../../schemas/domain.ts";
import { fixSchema } from "../../schemas/fix.ts";
import { importedSchema } from "../../schemas/imported.ts";
import { recentChangeSchema } from "../../schemas/live-evidence.ts";
import { handoverSchema, reportedIncidentSchema } from "../../schemas/reports.ts";
import {
  incidentHitSchema,
  pastAnswerHitSchema,
  procedureHitSchema,
  runbookHitSchema,
  warningSchema,
} from "../../schemas/triage-result.ts";
import { readySchema } from "../health.ts";
import { alertReceiptSchema } from "../v1/alerts.ts";
import { changeReceiptSchema } from "../v1/changes/report-changes.ts";
import { domainSchema } from "../v1/domains/domains.ts";
import { evidenceSourceRecordSchema } from "../v1/evidence/sources.ts";
import { incidentSchema } from "../v1/incidents/incident-schema.ts";
import { muteRecordSchema } from "../v1/mutes.ts";
import { notificationTargetSchema } from "../v1/notifications.ts";
import { sessionSchema } from "../v1/session/session-schema.ts";
import { ingestedRunbookSchema, ingestedSchema } from "../v1/text-schemas.ts";
import { triageRequestSchema } from "../v1/triage-request.ts";

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
  ReportedIncident: reportedIncidentSchema,
  SearchFeatures: features,
  Session: sessionSchema,
  Statement: answerSchema.shape.likely_causes.element,
  Step: answerSchema.shape.confirm.element,
  StoredText: textEntrySchema,
  StoredTextDetail: textDetailSchema,
  TriageRequest: triageRequestSchema,
  Warning: warningSchema,
};
