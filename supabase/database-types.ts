
export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
  
  "public": {
          Tables: {
            "access_tokens": {
                  Row: {
                    "created_at": string,"created_by": string,"expires_at": string | null,"id": string,"last_used_at": string | null,"name": string,"revoked_at": string | null,"scopes": (string)[],"token_hash": string,"access_token_json": Json | null
                  }
                  ComputedFields: "access_token_json"
                  Insert: {
                    "created_at": string,"created_by": string,"expires_at"?: string | null,"id": string,"last_used_at"?: string | null,"name": string,"revoked_at"?: string | null,"scopes": (string)[],"token_hash": string
                  }
                  Update: {
                    "created_at"?: string,"created_by"?: string,"expires_at"?: string | null,"id"?: string,"last_used_at"?: string | null,"name"?: string,"revoked_at"?: string | null,"scopes"?: (string)[],"token_hash"?: string
                  }
                  Relationships: [
                    
                  ]
                },"alerts": {
                  Row: {
                    "alertname": string,"decision": string,"domain": string,"ends_at": string | null,"fingerprint": string,"id": number,"incident_id": string | null,"labels": NonNullable<Json>,"last_received_at": string,"namespace": string | null,"received_at": string,"rule": string,"severity": string,"source": string,"starts_at": string,"status": string,"target": string | null,"times": number,"title": string,"alert_increments": {
              "labels": Json,"metric": string,"value": number
            } | null
                  }
                  ComputedFields: "alert_increments"
                  Insert: {
                    "alertname": string,"decision": string,"domain": string,"ends_at"?: string | null,"fingerprint": string,"id"?: never,"incident_id"?: string | null,"labels"?: NonNullable<Json>,"last_received_at": string,"namespace"?: string | null,"received_at": string,"rule": string,"severity": string,"source": string,"starts_at": string,"status": string,"target"?: string | null,"times"?: number,"title": string
                  }
                  Update: {
                    "alertname"?: string,"decision"?: string,"domain"?: string,"ends_at"?: string | null,"fingerprint"?: string,"id"?: never,"incident_id"?: string | null,"labels"?: NonNullable<Json>,"last_received_at"?: string,"namespace"?: string | null,"received_at"?: string,"rule"?: string,"severity"?: string,"source"?: string,"starts_at"?: string,"status"?: string,"target"?: string | null,"times"?: number,"title"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "alerts_incident_id_fkey"
      columns: ["incident_id"]
isOneToOne: false
      referencedRelation: "incidents"
      referencedColumns: ["id"]
    }
                  ]
                },"annotation_outbox": {
                  Row: {
                    "attempts": number,"claimed_until": string | null,"created_at": string,"given_up_at": string | null,"id": number,"last_error": string | null,"next_attempt_at": string,"person": string,"triage_id": string,"version": number,"annotation_json": Json | null
                  }
                  ComputedFields: "annotation_json"
                  Insert: {
                    "attempts"?: number,"claimed_until"?: string | null,"created_at": string,"given_up_at"?: string | null,"id"?: never,"last_error"?: string | null,"next_attempt_at": string,"person": string,"triage_id": string,"version"?: number
                  }
                  Update: {
                    "attempts"?: number,"claimed_until"?: string | null,"created_at"?: string,"given_up_at"?: string | null,"id"?: never,"last_error"?: string | null,"next_attempt_at"?: string,"person"?: string,"triage_id"?: string,"version"?: number
                  }
                  Relationships: [
                    {
      foreignKeyName: "annotation_outbox_triage_id_person_fkey"
      columns: ["triage_id","person"]
isOneToOne: true
      referencedRelation: "feedback"
      referencedColumns: ["triage_id","person"]
    }
                  ]
                },"audit_events": {
                  Row: {
                    "action": string,"actor": string | null,"at": string,"detail": NonNullable<Json>,"id": number,"in_results": boolean,"kind": string,"record_ids": (string)[],"request_id": string | null,"subject_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "action": string,"actor"?: string | null,"at": string,"detail"?: NonNullable<Json>,"id"?: never,"in_results"?: boolean,"kind": string,"record_ids"?: (string)[],"request_id"?: string | null,"subject_id": string
                  }
                  Update: {
                    "action"?: string,"actor"?: string | null,"at"?: string,"detail"?: NonNullable<Json>,"id"?: never,"in_results"?: boolean,"kind"?: string,"record_ids"?: (string)[],"request_id"?: string | null,"subject_id"?: string
                  }
                  Relationships: [
                    
                  ]
                },"collections": {
                  Row: {
                    "document_count": number,"id": number,"length_total": number,"name": string
                  }
                  ComputedFields: never
                  Insert: {
                    "document_count"?: number,"id"?: never,"length_total"?: number,"name": string
                  }
                  Update: {
                    "document_count"?: number,"id"?: never,"length_total"?: number,"name"?: string
                  }
                  Relationships: [
                    
                  ]
                },"documents": {
                  Row: {
                    "body": string,"chunk_index": number | null,"collection_id": number,"content_hash": string,"frequencies": (number)[],"heading_path": (string)[],"id": string,"index_fingerprint": string | null,"indexed_hash": string | null,"key": number,"length": number,"metadata": NonNullable<Json>,"source": string | null,"terms": (string)[],"title": string,"written_at": string,"document_json": Json | null
                  }
                  ComputedFields: "document_json"
                  Insert: {
                    "body": string,"chunk_index"?: number | null,"collection_id": number,"content_hash": string,"frequencies": (number)[],"heading_path"?: (string)[],"id": string,"index_fingerprint"?: string | null,"indexed_hash"?: string | null,"key"?: never,"length": number,"metadata"?: NonNullable<Json>,"source"?: string | null,"terms": (string)[],"title": string,"written_at": string
                  }
                  Update: {
                    "body"?: string,"chunk_index"?: number | null,"collection_id"?: number,"content_hash"?: string,"frequencies"?: (number)[],"heading_path"?: (string)[],"id"?: string,"index_fingerprint"?: string | null,"indexed_hash"?: string | null,"key"?: never,"length"?: number,"metadata"?: NonNullable<Json>,"source"?: string | null,"terms"?: (string)[],"title"?: string,"written_at"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "documents_collection_id_fkey"
      columns: ["collection_id"]
isOneToOne: false
      referencedRelation: "collections"
      referencedColumns: ["id"]
    }
                  ]
                },"episodes": {
                  Row: {
                    "final_answer": string | null,"final_confidence": number | null,"finished_at": string | null,"incident_id": string | null,"initial_confidence": number | null,"injection_blocked": boolean | null,"memory_hit_count": number | null,"query": string,"reflected": boolean | null,"retrieval_hit_count": number | null,"run_id": string,"session_id": string,"started_at": string,"episode_increments": {
              "labels": Json,"metric": string,"value": number
            } | null
                  }
                  ComputedFields: "episode_increments"
                  Insert: {
                    "final_answer"?: string | null,"final_confidence"?: number | null,"finished_at"?: string | null,"incident_id"?: string | null,"initial_confidence"?: number | null,"injection_blocked"?: boolean | null,"memory_hit_count"?: number | null,"query": string,"reflected"?: boolean | null,"retrieval_hit_count"?: number | null,"run_id": string,"session_id": string,"started_at": string
                  }
                  Update: {
                    "final_answer"?: string | null,"final_confidence"?: number | null,"finished_at"?: string | null,"incident_id"?: string | null,"initial_confidence"?: number | null,"injection_blocked"?: boolean | null,"memory_hit_count"?: number | null,"query"?: string,"reflected"?: boolean | null,"retrieval_hit_count"?: number | null,"run_id"?: string,"session_id"?: string,"started_at"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "episodes_incident_id_fkey"
      columns: ["incident_id"]
isOneToOne: false
      referencedRelation: "incidents"
      referencedColumns: ["id"]
    }
                  ]
                },"feedback": {
                  Row: {
                    "at": string,"comment": string | null,"id": number,"person": string,"triage_id": string,"vote": number,"vote_increments": {
              "labels": Json,"metric": string,"value": number
            } | null
                  }
                  ComputedFields: "vote_increments"
                  Insert: {
                    "at": string,"comment"?: string | null,"id"?: never,"person": string,"triage_id": string,"vote"?: number
                  }
                  Update: {
                    "at"?: string,"comment"?: string | null,"id"?: never,"person"?: string,"triage_id"?: string,"vote"?: number
                  }
                  Relationships: [
                    {
      foreignKeyName: "feedback_triage_id_fkey"
      columns: ["triage_id"]
isOneToOne: false
      referencedRelation: "triages"
      referencedColumns: ["id"]
    }
                  ]
                },"idempotency_keys": {
                  Row: {
                    "incident_id": string,"key": string,"request_hash": string,"started_at": string,"triage_id": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "incident_id": string,"key": string,"request_hash": string,"started_at": string,"triage_id"?: string | null
                  }
                  Update: {
                    "incident_id"?: string,"key"?: string,"request_hash"?: string,"started_at"?: string,"triage_id"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "idempotency_keys_triage_id_fkey"
      columns: ["triage_id"]
isOneToOne: false
      referencedRelation: "triages"
      referencedColumns: ["id"]
    }
                  ]
                },"incident_events": {
                  Row: {
                    "at": string,"detail": NonNullable<Json>,"id": number,"incident_id": string,"kind": string,"event_increments": {
              "labels": Json,"metric": string,"value": number
            } | null
                  }
                  ComputedFields: "event_increments"
                  Insert: {
                    "at": string,"detail"?: NonNullable<Json>,"id"?: never,"incident_id": string,"kind": string
                  }
                  Update: {
                    "at"?: string,"detail"?: NonNullable<Json>,"id"?: never,"incident_id"?: string,"kind"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "incident_events_incident_id_fkey"
      columns: ["incident_id"]
isOneToOne: false
      referencedRelation: "incidents"
      referencedColumns: ["id"]
    }
                  ]
                },"incidents": {
                  Row: {
                    "benign": boolean,"created_at": string,"domain": string,"domain_rule": string,"guardrails": NonNullable<Json>,"id": string,"incident_type": string,"incident_type_rule": string,"intake": string,"labels": NonNullable<Json>,"logs": string | null,"observation_id": string | null,"previous_id": string | null,"question": string | null,"queued_at": string | null,"reported_by": string | null,"resolution": string | null,"resolved_at": string | null,"resolved_by": string | null,"runbook": string | null,"session_id": string,"severity": string,"status": string,"target": string | null,"title": string,"worked": boolean | null,"incident_increments": {
              "labels": Json,"metric": string,"value": number
            } | null
                  }
                  ComputedFields: "incident_increments"
                  Insert: {
                    "benign"?: boolean,"created_at": string,"domain": string,"domain_rule": string,"guardrails"?: NonNullable<Json>,"id": string,"incident_type": string,"incident_type_rule": string,"intake"?: string,"labels"?: NonNullable<Json>,"logs"?: string | null,"observation_id"?: string | null,"previous_id"?: string | null,"question"?: string | null,"queued_at"?: string | null,"reported_by"?: string | null,"resolution"?: string | null,"resolved_at"?: string | null,"resolved_by"?: string | null,"runbook"?: string | null,"session_id": string,"severity": string,"status": string,"target"?: string | null,"title": string,"worked"?: boolean | null
                  }
                  Update: {
                    "benign"?: boolean,"created_at"?: string,"domain"?: string,"domain_rule"?: string,"guardrails"?: NonNullable<Json>,"id"?: string,"incident_type"?: string,"incident_type_rule"?: string,"intake"?: string,"labels"?: NonNullable<Json>,"logs"?: string | null,"observation_id"?: string | null,"previous_id"?: string | null,"question"?: string | null,"queued_at"?: string | null,"reported_by"?: string | null,"resolution"?: string | null,"resolved_at"?: string | null,"resolved_by"?: string | null,"runbook"?: string | null,"session_id"?: string,"severity"?: string,"status"?: string,"target"?: string | null,"title"?: string,"worked"?: boolean | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "incidents_observation_id_fkey"
      columns: ["observation_id"]
isOneToOne: false
      referencedRelation: "observations"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "incidents_previous_id_fkey"
      columns: ["previous_id"]
isOneToOne: false
      referencedRelation: "incidents"
      referencedColumns: ["id"]
    }
                  ]
                },"job_runs": {
                  Row: {
                    "counts": NonNullable<Json>,"error": string | null,"finished_at": string | null,"id": string,"job": string,"started_at": string,"trigger": string
                  }
                  ComputedFields: never
                  Insert: {
                    "counts"?: NonNullable<Json>,"error"?: string | null,"finished_at"?: string | null,"id": string,"job": string,"started_at": string,"trigger": string
                  }
                  Update: {
                    "counts"?: NonNullable<Json>,"error"?: string | null,"finished_at"?: string | null,"id"?: string,"job"?: string,"started_at"?: string,"trigger"?: string
                  }
                  Relationships: [
                    
                  ]
                },"knowledge_stamps": {
                  Row: {
                    "collection": string,"document_id": string,"outcome": string,"sync_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "collection": string,"document_id": string,"outcome": string,"sync_id": string
                  }
                  Update: {
                    "collection"?: string,"document_id"?: string,"outcome"?: string,"sync_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "knowledge_stamps_collection_sync_id_fkey"
      columns: ["collection","sync_id"]
isOneToOne: false
      referencedRelation: "knowledge_syncs"
      referencedColumns: ["collection","sync_id"]
    }
                  ]
                },"knowledge_syncs": {
                  Row: {
                    "collection": string,"result": Json | null,"started_at": string,"sync_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "collection": string,"result"?: Json | null,"started_at": string,"sync_id": string
                  }
                  Update: {
                    "collection"?: string,"result"?: Json | null,"started_at"?: string,"sync_id"?: string
                  }
                  Relationships: [
                    
                  ]
                },"memories": {
                  Row: {
                    "answer": string,"compressed_at": string | null,"content_hash": string,"created_at": string,"domain": string,"id": string,"is_summary": boolean,"metadata": NonNullable<Json>,"question": string,"rating": number,"session_id": string,"summary_id": string | null,"tells_of": (string)[],"triage_id": string | null,"memory_document": Json | null
                  }
                  ComputedFields: "memory_document"
                  Insert: {
                    "answer": string,"compressed_at"?: string | null,"content_hash": string,"created_at": string,"domain": string,"id": string,"is_summary"?: boolean,"metadata": NonNullable<Json>,"question": string,"rating"?: number,"session_id": string,"summary_id"?: string | null,"tells_of"?: (string)[],"triage_id"?: string | null
                  }
                  Update: {
                    "answer"?: string,"compressed_at"?: string | null,"content_hash"?: string,"created_at"?: string,"domain"?: string,"id"?: string,"is_summary"?: boolean,"metadata"?: NonNullable<Json>,"question"?: string,"rating"?: number,"session_id"?: string,"summary_id"?: string | null,"tells_of"?: (string)[],"triage_id"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "memories_summary_id_fkey"
      columns: ["summary_id"]
isOneToOne: false
      referencedRelation: "memories"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "memories_triage_id_fkey"
      columns: ["triage_id"]
isOneToOne: false
      referencedRelation: "triages"
      referencedColumns: ["id"]
    }
                  ]
                },"metric_counters": {
                  Row: {
                    "labels": NonNullable<Json>,"metric": string,"value": number
                  }
                  ComputedFields: never
                  Insert: {
                    "labels": NonNullable<Json>,"metric": string,"value": number
                  }
                  Update: {
                    "labels"?: NonNullable<Json>,"metric"?: string,"value"?: number
                  }
                  Relationships: [
                    
                  ]
                },"metric_increments": {
                  Row: {
                    "id": number,"labels": NonNullable<Json>,"metric": string,"value": number
                  }
                  ComputedFields: never
                  Insert: {
                    "id"?: never,"labels": NonNullable<Json>,"metric": string,"value": number
                  }
                  Update: {
                    "id"?: never,"labels"?: NonNullable<Json>,"metric"?: string,"value"?: number
                  }
                  Relationships: [
                    
                  ]
                },"model_usage": {
                  Row: {
                    "at": string,"cached_input_tokens": number,"calls": number,"cost_usd": number | null,"incident_id": string | null,"input_tokens": number,"output_tokens": number,"run_id": string,"model_usage_increments": {
              "labels": Json,"metric": string,"value": number
            } | null
                  }
                  ComputedFields: "model_usage_increments"
                  Insert: {
                    "at": string,"cached_input_tokens": number,"calls": number,"cost_usd"?: number | null,"incident_id"?: string | null,"input_tokens": number,"output_tokens": number,"run_id": string
                  }
                  Update: {
                    "at"?: string,"cached_input_tokens"?: number,"calls"?: number,"cost_usd"?: number | null,"incident_id"?: string | null,"input_tokens"?: number,"output_tokens"?: number,"run_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "model_usage_incident_id_fkey"
      columns: ["incident_id"]
isOneToOne: false
      referencedRelation: "incidents"
      referencedColumns: ["id"]
    }
                  ]
                },"observations": {
                  Row: {
                    "created_at": string,"domain": string,"facts": (string)[],"failure_key": string,"final_score": number | null,"first_seen_at": string,"id": string,"incident_id": string,"last_seen_at": string,"narrative": string,"occurrences": number,"quality": number | null,"resolution": string | null,"resolved_at": string | null,"resolved_by": string | null,"resolved_incident_id": string | null,"seen_at": (string)[],"severity": string,"superseded": NonNullable<Json>,"target": string | null,"task": string,"task_type": string,"title": string,"version": number,"worked": boolean | null,"written_by": string,"observation_json": Json | null
                  }
                  ComputedFields: "observation_json"
                  Insert: {
                    "created_at": string,"domain": string,"facts": (string)[],"failure_key": string,"final_score"?: number | null,"first_seen_at": string,"id": string,"incident_id": string,"last_seen_at": string,"narrative": string,"occurrences"?: number,"quality"?: number | null,"resolution"?: string | null,"resolved_at"?: string | null,"resolved_by"?: string | null,"resolved_incident_id"?: string | null,"seen_at": (string)[],"severity": string,"superseded"?: NonNullable<Json>,"target"?: string | null,"task": string,"task_type": string,"title": string,"version"?: number,"worked"?: boolean | null,"written_by": string
                  }
                  Update: {
                    "created_at"?: string,"domain"?: string,"facts"?: (string)[],"failure_key"?: string,"final_score"?: number | null,"first_seen_at"?: string,"id"?: string,"incident_id"?: string,"last_seen_at"?: string,"narrative"?: string,"occurrences"?: number,"quality"?: number | null,"resolution"?: string | null,"resolved_at"?: string | null,"resolved_by"?: string | null,"resolved_incident_id"?: string | null,"seen_at"?: (string)[],"severity"?: string,"superseded"?: NonNullable<Json>,"target"?: string | null,"task"?: string,"task_type"?: string,"title"?: string,"version"?: number,"worked"?: boolean | null,"written_by"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "observations_incident_id_fkey"
      columns: ["incident_id"]
isOneToOne: false
      referencedRelation: "incidents"
      referencedColumns: ["id"]
    }
                  ]
                },"outbox": {
                  Row: {
                    "attempts": number,"collection": string,"created_at": string,"document_id": string,"done_at": string | null,"id": number,"last_error": string | null,"next_attempt_at": string,"outbox_json": Json | null
                  }
                  ComputedFields: "outbox_json"
                  Insert: {
                    "attempts"?: number,"collection": string,"created_at": string,"document_id": string,"done_at"?: string | null,"id"?: never,"last_error"?: string | null,"next_attempt_at": string
                  }
                  Update: {
                    "attempts"?: number,"collection"?: string,"created_at"?: string,"document_id"?: string,"done_at"?: string | null,"id"?: never,"last_error"?: string | null,"next_attempt_at"?: string
                  }
                  Relationships: [
                    
                  ]
                },"postings": {
                  Row: {
                    "collection_id": number,"curated": boolean,"document_key": number,"frequency": number,"length": number,"term": string
                  }
                  ComputedFields: never
                  Insert: {
                    "collection_id": number,"curated": boolean,"document_key": number,"frequency": number,"length": number,"term": string
                  }
                  Update: {
                    "collection_id"?: number,"curated"?: boolean,"document_key"?: number,"frequency"?: number,"length"?: number,"term"?: string
                  }
                  Relationships: [
                    
                  ]
                },"procedures": {
                  Row: {
                    "answer": string,"archived_at": string | null,"confidence": number,"content_hash": string,"created_at": string,"decayed_until": string,"domain": string,"id": string,"last_used_at": string,"metadata": NonNullable<Json>,"origin_id": string | null,"query": string,"query_hash": string,"strategy": string,"triage_id": string | null,"use_count": number,"procedure_document": Json | null
                  }
                  ComputedFields: "procedure_document"
                  Insert: {
                    "answer": string,"archived_at"?: string | null,"confidence": number,"content_hash": string,"created_at": string,"decayed_until": string,"domain": string,"id": string,"last_used_at": string,"metadata": NonNullable<Json>,"origin_id"?: string | null,"query": string,"query_hash": string,"strategy": string,"triage_id"?: string | null,"use_count"?: number
                  }
                  Update: {
                    "answer"?: string,"archived_at"?: string | null,"confidence"?: number,"content_hash"?: string,"created_at"?: string,"decayed_until"?: string,"domain"?: string,"id"?: string,"last_used_at"?: string,"metadata"?: NonNullable<Json>,"origin_id"?: string | null,"query"?: string,"query_hash"?: string,"strategy"?: string,"triage_id"?: string | null,"use_count"?: number
                  }
                  Relationships: [
                    {
      foreignKeyName: "procedures_origin_id_fkey"
      columns: ["origin_id"]
isOneToOne: false
      referencedRelation: "triages"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "procedures_triage_id_fkey"
      columns: ["triage_id"]
isOneToOne: false
      referencedRelation: "triages"
      referencedColumns: ["id"]
    }
                  ]
                },"sessions": {
                  Row: {
                    "claimed_until": string | null,"domain": string,"last_turn_at": string,"raw_count": number,"session_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "claimed_until"?: string | null,"domain": string,"last_turn_at": string,"raw_count"?: number,"session_id": string
                  }
                  Update: {
                    "claimed_until"?: string | null,"domain"?: string,"last_turn_at"?: string,"raw_count"?: number,"session_id"?: string
                  }
                  Relationships: [
                    
                  ]
                },"sources": {
                  Row: {
                    "bytes": number,"chunks": number,"collection": string,"created_at": string,"id": string,"kind": string,"origin": string,"source": string,"tags": (string)[],"text": string | null,"title": string,"updated_at": string
                  }
                  ComputedFields: never
                  Insert: {
                    "bytes": number,"chunks": number,"collection": string,"created_at": string,"id": string,"kind": string,"origin": string,"source": string,"tags"?: (string)[],"text"?: string | null,"title": string,"updated_at": string
                  }
                  Update: {
                    "bytes"?: number,"chunks"?: number,"collection"?: string,"created_at"?: string,"id"?: string,"kind"?: string,"origin"?: string,"source"?: string,"tags"?: (string)[],"text"?: string | null,"title"?: string,"updated_at"?: string
                  }
                  Relationships: [
                    
                  ]
                },"terms": {
                  Row: {
                    "collection_id": number,"df": number,"term": string
                  }
                  ComputedFields: never
                  Insert: {
                    "collection_id": number,"df": number,"term": string
                  }
                  Update: {
                    "collection_id"?: number,"df"?: number,"term"?: string
                  }
                  Relationships: [
                    
                  ]
                },"triages": {
                  Row: {
                    "confidence": number,"created_at": string,"id": string,"incident_id": string,"mode": string,"model": string | null,"outcome": string,"prompt_version": string | null,"recalled_ids": (string)[],"result": NonNullable<Json>,"triage_increments": {
              "labels": Json,"metric": string,"value": number
            } | null
                  }
                  ComputedFields: "triage_increments"
                  Insert: {
                    "confidence": number,"created_at": string,"id": string,"incident_id": string,"mode": string,"model"?: string | null,"outcome": string,"prompt_version"?: string | null,"recalled_ids"?: (string)[],"result": NonNullable<Json>
                  }
                  Update: {
                    "confidence"?: number,"created_at"?: string,"id"?: string,"incident_id"?: string,"mode"?: string,"model"?: string | null,"outcome"?: string,"prompt_version"?: string | null,"recalled_ids"?: (string)[],"result"?: NonNullable<Json>
                  }
                  Relationships: [
                    {
      foreignKeyName: "triages_incident_id_fkey"
      columns: ["incident_id"]
isOneToOne: false
      referencedRelation: "incidents"
      referencedColumns: ["id"]
    }
                  ]
                },"webhook_deliveries": {
                  Row: {
                    "at": string,"digest": string
                  }
                  ComputedFields: never
                  Insert: {
                    "at": string,"digest": string
                  }
                  Update: {
                    "at"?: string,"digest"?: string
                  }
                  Relationships: [
                    
                  ]
                }
          }
          Views: {
            "metrics": {
                  Row: {
                    "labels": Json | null,"metric": string | null,"value": number | null
                  }
                  ComputedFields: never
                  Relationships: [
                    
                  ]
                }
          }
          Functions: {
            "abandon_triage":
{ Args: { "p": Json }; Returns: undefined
                           },
"accept_incident":
{ Args: { "p": Json }; Returns: Json
                           },
"access_token_json":
{ Args: { "p": Omit<Database["public"]['Tables']["access_tokens"]['Row'], Database["public"]['Tables']["access_tokens"]['ComputedFields']> }; Returns: Json
                           },
"alert_increments":
{ Args: { "p": Omit<Database["public"]['Tables']["alerts"]['Row'], Database["public"]['Tables']["alerts"]['ComputedFields']> }; Returns: {
              "labels": Json,"metric": string,"value": number
            }[]
                           },
"annotation_json":
{ Args: { "o": Omit<Database["public"]['Tables']["annotation_outbox"]['Row'], Database["public"]['Tables']["annotation_outbox"]['ComputedFields']> }; Returns: Json
                           },
"begin_job":
{ Args: { "p_id": string,"p_job": string,"p_now": string,"p_trigger": string }; Returns: undefined
                           },
"begin_triage":
{ Args: { "p": Json }; Returns: Json
                           },
"begins_anew":
{ Args: { "p_known": Omit<Database["public"]['Tables']["alerts"]['Row'], Database["public"]['Tables']["alerts"]['ComputedFields']>,"p_now": string,"p_window": string }; Returns: string
                           },
"chunk_ids":
{ Args: { "p_collection": string,"p_source": string }; Returns: (string)[]
                           },
"claim_annotations":
{ Args: { "p_lease_seconds": number,"p_limit": number,"p_now": string }; Returns: Json
                           },
"claim_delivery":
{ Args: { "p_at": string,"p_digest": string }; Returns: boolean
                           },
"claim_incident":
{ Args: { "p_incident_id": string,"p_max_attempts": number,"p_now": string,"p_run_id": string }; Returns: Json
                           },
"claim_outbox":
{ Args: { "p_lease_seconds": number,"p_limit": number,"p_now": string }; Returns: Json
                           },
"claim_sessions":
{ Args: { "p_idle_since": string,"p_lease_seconds": number,"p_limit": number,"p_memories_each": number,"p_now": string,"p_threshold": number }; Returns: Json
                           },
"complete_outbox":
{ Args: { "p_done": Json,"p_fingerprint": string,"p_now": string }; Returns: number
                           },
"count_dropped_spans":
{ Args: { "p_count": number }; Returns: undefined
                           },
"count_found":
{ Args: { "p_path": unknown,"p_result": Json }; Returns: number
                           },
"covered_alerts":
{ Args: { "p_incident_id": string }; Returns: Json
                           },
"create_access_token":
{ Args: { "p": Json }; Returns: Json
                           },
"decay_procedures":
{ Args: { "p_limit": number,"p_now": string,"p_period_days": number }; Returns: Json
                           },
"delete_documents":
{ Args: { "p_collection": string,"p_ids": (string)[] }; Returns: number
                           },
"delete_knowledge":
{ Args: { "p": Json }; Returns: Json
                           },
"delete_source":
{ Args: { "p": Json }; Returns: Json
                           },
"document_json":
{ Args: { "d": Omit<Database["public"]['Tables']["documents"]['Row'], Database["public"]['Tables']["documents"]['ComputedFields']> }; Returns: Json
                           },
"end_alerted_incidents":
{ Args: { "p_ids": (string)[],"p_now": string }; Returns: undefined
                           },
"end_knowledge_sync":
{ Args: { "p": Json }; Returns: Json
                           },
"episode_increments":
{ Args: { "p": Omit<Database["public"]['Tables']["episodes"]['Row'], Database["public"]['Tables']["episodes"]['ComputedFields']> }; Returns: {
              "labels": Json,"metric": string,"value": number
            }[]
                           },
"event_increments":
{ Args: { "p": Omit<Database["public"]['Tables']["incident_events"]['Row'], Database["public"]['Tables']["incident_events"]['ComputedFields']> }; Returns: {
              "labels": Json,"metric": string,"value": number
            }[]
                           },
"fail_incident":
{ Args: { "p_incident_id": string,"p_now": string,"p_reason": string }; Returns: boolean
                           },
"fail_outbox":
{ Args: { "p_failures": Json }; Returns: undefined
                           },
"find_access_token":
{ Args: { "p_hash": string }; Returns: Json
                           },
"find_incidents":
{ Args: { "p_hex": string,"p_limit": number }; Returns: Json
                           },
"finish_episode":
{ Args: { "p": Json }; Returns: undefined
                           },
"finish_job":
{ Args: { "p_counts": Json,"p_error"?: string,"p_id": string,"p_now": string }; Returns: undefined
                           },
"finish_triage":
{ Args: { "p": Json }; Returns: Json
                           },
"fold_increments":
{ Args: { "p_limit": number }; Returns: number
                           },
"forget":
{ Args: { "p": Json }; Returns: Json
                           },
"forget_document":
{ Args: { "p_claim_until": string,"p_collection": string,"p_id": string,"p_now": string }; Returns: Json
                           },
"forget_documents":
{ Args: { "p_claim_until": string,"p_collection": string,"p_ids": (string)[],"p_now": string }; Returns: Json
                           },
"forget_for":
{ Args: { "p": Json }; Returns: Json
                           },
"get_documents":
{ Args: { "p_collection": string,"p_ids": (string)[] }; Returns: {
              "body": string,"chunk_index": number,"content_hash": string,"heading_path": (string)[],"id": string,"metadata": Json,"source": string,"title": string,"written_at": string
            }[]
                           },
"get_incident":
{ Args: { "p_id": string }; Returns: Json
                           },
"get_observation":
{ Args: { "p_id": string }; Returns: Json
                           },
"get_source":
{ Args: { "p_id": string,"p_kinds": (string)[] }; Returns: Json
                           },
"give_feedback":
{ Args: { "p": Json }; Returns: Json
                           },
"histogram_bounds":
{ Args: { "p_metric": string }; Returns: (string)[]
                           },
"histogram_increments":
{ Args: { "p_labels": Json,"p_metric": string,"p_value": number }; Returns: {
              "labels": Json,"metric": string,"value": number
            }[]
                           },
"incident_increments":
{ Args: { "p": Omit<Database["public"]['Tables']["incidents"]['Row'], Database["public"]['Tables']["incidents"]['ComputedFields']> }; Returns: {
              "labels": Json,"metric": string,"value": number
            }[]
                           },
"is_curated":
{ Args: { "p_metadata": Json }; Returns: boolean
                           },
"is_evaluation":
{ Args: { "p_result": Json }; Returns: boolean
                           },
"known_series":
{ Args: Record<PropertyKey, never>; Returns: {
              "labels": Json,"metric": string
            }[]
                           },
"last_failure":
{ Args: { "p_incident_id": string }; Returns: string
                           },
"latest_triage":
{ Args: { "p_session_id": string }; Returns: Json
                           },
"list_access_tokens":
{ Args: { "p_before_at"?: string,"p_before_id"?: string,"p_limit": number }; Returns: Json[]
                           },
"list_audit_events":
{ Args: { "p_before_id"?: number,"p_limit": number }; Returns: Json[]
                           },
"list_documents":
{ Args: { "p_after": string,"p_collection": string,"p_limit": number }; Returns: {
              "chunk_index": number,"content_hash": string,"id": string,"index_fingerprint": string,"indexed_hash": string,"source": string
            }[]
                           },
"list_feedback":
{ Args: { "p_before_at"?: string,"p_before_id"?: number,"p_limit": number,"p_vote"?: number }; Returns: Json[]
                           },
"list_incidents":
{ Args: { "p_before_at"?: string,"p_before_id"?: string,"p_domain"?: string,"p_limit": number,"p_session_id"?: string,"p_severity"?: string,"p_status"?: string,"p_target"?: string }; Returns: Json[]
                           },
"list_job_runs":
{ Args: { "p_job"?: string,"p_limit": number }; Returns: Json[]
                           },
"list_memories":
{ Args: { "p_before_at"?: string,"p_before_id"?: string,"p_domain"?: string,"p_limit": number,"p_session_id"?: string }; Returns: Json[]
                           },
"list_observations":
{ Args: { "p_before_at"?: string,"p_before_id"?: string,"p_domain"?: string,"p_limit": number }; Returns: Json[]
                           },
"list_outbox":
{ Args: { "p_after_id"?: number,"p_limit": number }; Returns: Json
                           },
"list_procedures":
{ Args: { "p_before_at"?: string,"p_before_id"?: string,"p_domain"?: string,"p_limit": number }; Returns: Json[]
                           },
"list_sessions":
{ Args: { "p_before_at"?: string,"p_before_domain"?: string,"p_before_id"?: string,"p_limit": number }; Returns: Json[]
                           },
"list_sources":
{ Args: { "p_after"?: string,"p_collection"?: string,"p_kinds": (string)[],"p_limit": number }; Returns: Json[]
                           },
"mark_documents_indexed":
{ Args: { "p_collection": string,"p_fingerprint": string,"p_hashes": Json }; Returns: undefined
                           },
"memory_document":
{ Args: { "m": Omit<Database["public"]['Tables']["memories"]['Row'], Database["public"]['Tables']["memories"]['ComputedFields']> }; Returns: Json
                           },
"metric_label":
{ Args: { "p_label": string,"p_value": string }; Returns: Json
                           },
"metric_label_values":
{ Args: { "p_label": string }; Returns: (string)[]
                           },
"model_usage_increments":
{ Args: { "p": Omit<Database["public"]['Tables']["model_usage"]['Row'], Database["public"]['Tables']["model_usage"]['ComputedFields']> }; Returns: {
              "labels": Json,"metric": string,"value": number
            }[]
                           },
"observation_json":
{ Args: { "o": Omit<Database["public"]['Tables']["observations"]['Row'], Database["public"]['Tables']["observations"]['ComputedFields']> }; Returns: Json
                           },
"outbox_json":
{ Args: { "o": Omit<Database["public"]['Tables']["outbox"]['Row'], Database["public"]['Tables']["outbox"]['ComputedFields']> }; Returns: Json
                           },
"owe_write":
{ Args: { "p_claim_until": string,"p_collection": string,"p_document_id": string,"p_now": string }; Returns: Json
                           },
"owe_writes":
{ Args: { "p_claim_until": string,"p_collection": string,"p_ids": (string)[],"p_now": string }; Returns: Json
                           },
"procedure_document":
{ Args: { "p": Omit<Database["public"]['Tables']["procedures"]['Row'], Database["public"]['Tables']["procedures"]['ComputedFields']> }; Returns: Json
                           },
"purge_expired":
{ Args: { "p_before": string,"p_limit": number }; Returns: Json
                           },
"put_knowledge":
{ Args: { "p": Json }; Returns: Json
                           },
"put_source":
{ Args: { "p": Json }; Returns: Json
                           },
"queue_incident":
{ Args: { "p_detail"?: Json,"p_incident": Json,"p_now": string }; Returns: undefined
                           },
"raise_severity":
{ Args: { "p_incident_id": string,"p_severity": string }; Returns: boolean
                           },
"rank_documents":
{ Args: { "p_collection_id": number,"p_dfs": (number)[],"p_flat": number,"p_gains": (number)[],"p_is_curated": boolean,"p_limit": number,"p_slope": number,"p_terms": (string)[] }; Returns: {
              "document_key": number,"score": number
            }[]
                           },
"recall_state":
{ Args: { "p": Json }; Returns: Json
                           },
"recalled_ids":
{ Args: { "p_result": Json }; Returns: (string)[]
                           },
"receive_alerts":
{ Args: { "p": Json }; Returns: Json
                           },
"record_change":
{ Args: { "p": Json }; Returns: undefined
                           },
"record_folder_sources":
{ Args: { "p_collection": string,"p_now": string,"p_origin": string,"p_sources": Json }; Returns: undefined
                           },
"record_incident":
{ Args: { "p": Json }; Returns: undefined
                           },
"record_memory":
{ Args: { "p": Json,"p_claim_until": string,"p_now": string }; Returns: Json
                           },
"record_model_usage":
{ Args: { "p": Json }; Returns: undefined
                           },
"record_observation":
{ Args: { "p": Json,"p_claim_until": string,"p_now": string }; Returns: Json
                           },
"record_procedure":
{ Args: { "p": Json,"p_claim_until": string,"p_now": string }; Returns: Json
                           },
"release_run":
{ Args: { "p": Json }; Returns: Json
                           },
"remember_changed":
{ Args: { "p_claim_until": string,"p_collection": string,"p_documents": Json,"p_now": string }; Returns: Json
                           },
"remember_document":
{ Args: { "p_claim_until": string,"p_collection": string,"p_document": Json,"p_now": string }; Returns: Json
                           },
"remove_memory":
{ Args: { "p_claim_until": string,"p_id": string,"p_now": string }; Returns: Json
                           },
"remove_observation":
{ Args: { "p_claim_until": string,"p_id": string,"p_now": string }; Returns: Json
                           },
"remove_procedure":
{ Args: { "p_claim_until": string,"p_id": string,"p_now": string }; Returns: Json
                           },
"resolve_incident":
{ Args: { "p": Json }; Returns: Json
                           },
"resolve_open_incident":
{ Args: { "p": Json }; Returns: Json
                           },
"restore_memories":
{ Args: { "p_ids": (string)[],"p_now": string }; Returns: undefined
                           },
"retire_originals":
{ Args: { "p_limit": number,"p_now": string }; Returns: Json
                           },
"revise_observation":
{ Args: { "p": Json }; Returns: Json
                           },
"revoke_access_token":
{ Args: { "p": Json }; Returns: boolean
                           },
"rewrite_terms":
{ Args: { "p_collection": string,"p_documents": Json }; Returns: undefined
                           },
"runbook_sections":
{ Args: { "p_collection": string,"p_names": (string)[] }; Returns: Json
                           },
"scrape_metrics":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"scrub_results":
{ Args: { "p_limit": number }; Returns: number
                           },
"search_documents":
{ Args: { "p_b"?: number,"p_collection": string,"p_k1"?: number,"p_limit": number,"p_resolved_limit"?: number,"p_sibling_sources"?: number,"p_terms": (string)[] }; Returns: Json
                           },
"server_version":
{ Args: Record<PropertyKey, never>; Returns: string
                           },
"session_memories":
{ Args: { "p_limit": number,"p_session_id": string }; Returns: Json
                           },
"session_turns":
{ Args: { "p_limit": number,"p_run_id": string,"p_session_id": string }; Returns: Json
                           },
"set_observation_quality":
{ Args: { "p_id": string,"p_quality"?: number }; Returns: Json
                           },
"settle_annotations":
{ Args: { "p_ends": Json,"p_now": string }; Returns: undefined
                           },
"source_origins":
{ Args: { "p_sources": (string)[] }; Returns: Json
                           },
"start_run":
{ Args: { "p_incident": Omit<Database["public"]['Tables']["incidents"]['Row'], Database["public"]['Tables']["incidents"]['ComputedFields']>,"p_now": string,"p_run_id": string }; Returns: Json
                           },
"store_summary":
{ Args: { "p": Json }; Returns: Json
                           },
"sweep_episodes":
{ Args: { "p_limit": number,"p_max_attempts": number,"p_now": string,"p_retry_limit": number,"p_started_before": string }; Returns: Json
                           },
"touch_access_token":
{ Args: { "p_id": string,"p_now": string }; Returns: undefined
                           },
"triage_increments":
{ Args: { "p": Omit<Database["public"]['Tables']["triages"]['Row'], Database["public"]['Tables']["triages"]['ComputedFields']> }; Returns: {
              "labels": Json,"metric": string,"value": number
            }[]
                           },
"upsert_documents":
{ Args: { "p_collection": string,"p_documents": Json }; Returns: undefined
                           },
"vote_increments":
{ Args: { "p": Omit<Database["public"]['Tables']["feedback"]['Row'], Database["public"]['Tables']["feedback"]['ComputedFields']> }; Returns: {
              "labels": Json,"metric": string,"value": number
            }[]
                           },
"without_recalled":
{ Args: { "p_ids": (string)[],"p_result": Json }; Returns: Json
                           }
          }
          Enums: {
            [_ in never]: never
          }
          CompositeTypes: {
            [_ in never]: never
          }
        }
}

type DatabaseWithoutInternals = Omit<Database, '__InternalSupabase'>

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">]

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
        DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
      DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])[TableName] extends {
      Row: infer R
    }
    ? R
    : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
  ? (DefaultSchema["Tables"] & DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions] extends {
      Row: infer R
    }
    ? R
    : never
  : never

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Insert: infer I
    }
    ? I
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
  ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
      Insert: infer I
    }
    ? I
    : never
  : never

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Update: infer U
    }
    ? U
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
  ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
      Update: infer U
    }
    ? U
    : never
  : never

export type Enums<
  DefaultSchemaEnumNameOrOptions extends
    | keyof DefaultSchema["Enums"]
    | { schema: keyof DatabaseWithoutInternals },
  EnumName extends DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"]
    : never = never
> = DefaultSchemaEnumNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"]
  ? DefaultSchema["Enums"][DefaultSchemaEnumNameOrOptions]
  : never

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema["CompositeTypes"]
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"]
    : never = never
> = PublicCompositeTypeNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema["CompositeTypes"]
  ? DefaultSchema["CompositeTypes"][PublicCompositeTypeNameOrOptions]
  : never

export const Constants = {
  "public": {
          Enums: {
            
          }
        }
} as const
