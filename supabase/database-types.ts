
export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
  
  "public": {
          Tables: {
            "collections": {
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
                    "final_answer": string | null,"final_confidence": number | null,"finished_at": string | null,"initial_confidence": number | null,"injection_blocked": boolean | null,"memory_hit_count": number | null,"query": string,"reflected": boolean | null,"retrieval_hit_count": number | null,"run_id": string,"session_id": string,"started_at": string
                  }
                  ComputedFields: never
                  Insert: {
                    "final_answer"?: string | null,"final_confidence"?: number | null,"finished_at"?: string | null,"initial_confidence"?: number | null,"injection_blocked"?: boolean | null,"memory_hit_count"?: number | null,"query": string,"reflected"?: boolean | null,"retrieval_hit_count"?: number | null,"run_id": string,"session_id": string,"started_at": string
                  }
                  Update: {
                    "final_answer"?: string | null,"final_confidence"?: number | null,"finished_at"?: string | null,"initial_confidence"?: number | null,"injection_blocked"?: boolean | null,"memory_hit_count"?: number | null,"query"?: string,"reflected"?: boolean | null,"retrieval_hit_count"?: number | null,"run_id"?: string,"session_id"?: string,"started_at"?: string
                  }
                  Relationships: [
                    
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
                    "at": string,"detail": NonNullable<Json>,"id": number,"incident_id": string,"kind": string
                  }
                  ComputedFields: never
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
                    "created_at": string,"domain": string,"domain_rule": string,"id": string,"incident_type": string,"incident_type_rule": string,"labels": NonNullable<Json>,"logs": string | null,"question": string | null,"resolution": string | null,"resolved_at": string | null,"resolved_by": string | null,"session_id": string,"severity": string,"status": string,"target": string | null,"title": string
                  }
                  ComputedFields: never
                  Insert: {
                    "created_at": string,"domain": string,"domain_rule": string,"id": string,"incident_type": string,"incident_type_rule": string,"labels"?: NonNullable<Json>,"logs"?: string | null,"question"?: string | null,"resolution"?: string | null,"resolved_at"?: string | null,"resolved_by"?: string | null,"session_id": string,"severity": string,"status": string,"target"?: string | null,"title": string
                  }
                  Update: {
                    "created_at"?: string,"domain"?: string,"domain_rule"?: string,"id"?: string,"incident_type"?: string,"incident_type_rule"?: string,"labels"?: NonNullable<Json>,"logs"?: string | null,"question"?: string | null,"resolution"?: string | null,"resolved_at"?: string | null,"resolved_by"?: string | null,"session_id"?: string,"severity"?: string,"status"?: string,"target"?: string | null,"title"?: string
                  }
                  Relationships: [
                    
                  ]
                },"model_usage": {
                  Row: {
                    "at": string,"cached_input_tokens": number,"calls": number,"cost_usd": number | null,"incident_id": string,"input_tokens": number,"output_tokens": number,"run_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "at": string,"cached_input_tokens": number,"calls": number,"cost_usd"?: number | null,"incident_id": string,"input_tokens": number,"output_tokens": number,"run_id": string
                  }
                  Update: {
                    "at"?: string,"cached_input_tokens"?: number,"calls"?: number,"cost_usd"?: number | null,"incident_id"?: string,"input_tokens"?: number,"output_tokens"?: number,"run_id"?: string
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
                },"outbox": {
                  Row: {
                    "attempts": number,"collection": string,"created_at": string,"document_id": string,"done_at": string | null,"id": number,"last_error": string | null,"next_attempt_at": string
                  }
                  ComputedFields: never
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
                    "collection_id": number,"document_key": number,"frequency": number,"length": number,"term": string
                  }
                  ComputedFields: never
                  Insert: {
                    "collection_id": number,"document_key": number,"frequency": number,"length": number,"term": string
                  }
                  Update: {
                    "collection_id"?: number,"document_key"?: number,"frequency"?: number,"length"?: number,"term"?: string
                  }
                  Relationships: [
                    
                  ]
                },"triages": {
                  Row: {
                    "confidence": number,"created_at": string,"id": string,"incident_id": string,"mode": string,"model": string | null,"outcome": string,"prompt_version": string | null,"result": NonNullable<Json>
                  }
                  ComputedFields: never
                  Insert: {
                    "confidence": number,"created_at": string,"id": string,"incident_id": string,"mode": string,"model"?: string | null,"outcome": string,"prompt_version"?: string | null,"result": NonNullable<Json>
                  }
                  Update: {
                    "confidence"?: number,"created_at"?: string,"id"?: string,"incident_id"?: string,"mode"?: string,"model"?: string | null,"outcome"?: string,"prompt_version"?: string | null,"result"?: NonNullable<Json>
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
                }
          }
          Views: {
            [_ in never]: never
          }
          Functions: {
            "abandon_triage":
{ Args: { "p": Json }; Returns: undefined
                           },
"begin_triage":
{ Args: { "p": Json }; Returns: Json
                           },
"claim_outbox":
{ Args: { "p_lease_seconds": number,"p_limit": number,"p_now": string }; Returns: Json
                           },
"complete_outbox":
{ Args: { "p_done": Json,"p_fingerprint": string,"p_now": string }; Returns: number
                           },
"delete_documents":
{ Args: { "p_collection": string,"p_ids": (string)[] }; Returns: number
                           },
"document_json":
{ Args: { "d": Omit<Database["public"]['Tables']["documents"]['Row'], Database["public"]['Tables']["documents"]['ComputedFields']> }; Returns: Json
                           },
"enqueue_memory_write":
{ Args: { "p_claim_until": string,"p_collection": string,"p_document": Json,"p_now": string }; Returns: number
                           },
"fail_outbox":
{ Args: { "p_failures": Json }; Returns: undefined
                           },
"finish_episode":
{ Args: { "p": Json }; Returns: undefined
                           },
"finish_triage":
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
"list_documents":
{ Args: { "p_after": string,"p_collection": string,"p_limit": number }; Returns: {
              "chunk_index": number,"content_hash": string,"id": string,"index_fingerprint": string,"indexed_hash": string,"source": string
            }[]
                           },
"list_incidents":
{ Args: { "p_before_at"?: string,"p_before_id"?: string,"p_domain"?: string,"p_limit": number,"p_session_id"?: string,"p_severity"?: string,"p_status"?: string,"p_target"?: string }; Returns: Json[]
                           },
"mark_documents_indexed":
{ Args: { "p_collection": string,"p_fingerprint": string,"p_hashes": Json }; Returns: undefined
                           },
"record_incident":
{ Args: { "p": Json }; Returns: undefined
                           },
"record_model_usage":
{ Args: { "p": Json }; Returns: undefined
                           },
"resolve_incident":
{ Args: { "p": Json }; Returns: Json
                           },
"search_documents":
{ Args: { "p_b"?: number,"p_collection": string,"p_k1"?: number,"p_limit": number,"p_resolved_limit"?: number,"p_sibling_sources"?: number,"p_terms": (string)[] }; Returns: Json
                           },
"server_version":
{ Args: Record<PropertyKey, never>; Returns: string
                           },
"session_turns":
{ Args: { "p_limit": number,"p_run_id": string,"p_session_id": string }; Returns: Json
                           },
"upsert_documents":
{ Args: { "p_collection": string,"p_documents": Json }; Returns: undefined
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
