// Made by scripts/bridge-document.py out of OpenCode 1.18.33's own document.
extension Document {
    static let part3 = #"""
        ring","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"query","sche\#
        ma":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required"\#
        :false}],"responses":{"200":{"description":"200","content":{"application/json":{"schema":{"$ref":"#/components\#
        /schemas/Session"}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"\#
        schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas\#
        /InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":"NotFoundErro\#
        r","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"descriptio\#
        n":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"\#
        }}}}},"description":"Create a new session by forking an existing session at a specific message point.","summar\#
        y":"Fork session","requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"messa\#
        geID":{"type":"string","pattern":"^msg"}}}}}}}},"/session/{sessionID}/permissions/{permissionID}":{"post":{"ta\#
        gs":["session"],"operationId":"permission.respond","parameters":[{"name":"sessionID","in":"path","schema":{"ty\#
        pe":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"permissionID","in":"pa\#
        th","schema":{"type":"string","pattern":"^per[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"direc\#
        tory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"ty\#
        pe":"string"},"required":false}],"responses":{"200":{"description":"Permission processed successfully","conten\#
        t":{"application/json":{"schema":{"type":"boolean"}}}},"400":{"description":"BadRequest | InvalidRequestError"\#
        ,"content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadReques\#
        t"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"\#
        404":{"description":"NotFoundError | PermissionNotFoundError","content":{"application/json":{"schema":{"anyOf"\#
        :[{"$ref":"#/components/schemas/NotFoundError"},{"$ref":"#/components/schemas/PermissionNotFoundError"}]}}}},"\#
        403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/schema\#
        s/OutsideProject"}}}}},"description":"Approve or deny a permission request from the AI assistant.","summary":"\#
        Respond to permission","deprecated":true,"requestBody":{"content":{"application/json":{"schema":{"type":"objec\#
        t","properties":{"response":{"type":"string","enum":["once","always","reject"]}},"required":["response"]}}},"r\#
        equired":true}}},"/session/{sessionID}/prompt_async":{"post":{"tags":["session"],"operationId":"session.prompt\#
        _async","parameters":[{"name":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]*$\#
        ","maxLength":128},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"required":fal\#
        se},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"204":{},"400"\#
        :{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"\#
        #/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$r\#
        ef":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":"NotFoundError","content":{"application/\#
        json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","c\#
        ontent":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/OutsideProject"},{"$ref":"#/comp\#
        onents/schemas/UnknownError"}]}}}},"501":{"description":"OpenCode 2 has nothing for it","content":{"applicatio\#
        n/json":{"schema":{"$ref":"#/components/schemas/UnknownError"}}}}},"description":"Create and send a new messag\#
        e to a session asynchronously, starting the session if needed and returning immediately.","summary":"Send asyn\#
        c message","requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"messageID":{\#
        "type":"string","pattern":"^msg"},"model":{"type":"object","properties":{"providerID":{"type":"string"},"model\#
        ID":{"type":"string"}},"required":["providerID","modelID"],"additionalProperties":false},"agent":{"type":"stri\#
        ng"},"noReply":{"type":"boolean"},"tools":{"type":"object","additionalProperties":{"type":"boolean"}},"format"\#
        :{"$ref":"#/components/schemas/OutputFormat"},"system":{"type":"string"},"variant":{"type":"string"},"parts":{\#
        "type":"array","items":{"anyOf":[{"$ref":"#/components/schemas/TextPartInput"},{"$ref":"#/components/schemas/F\#
        ilePartInput"},{"$ref":"#/components/schemas/AgentPartInput"},{"$ref":"#/components/schemas/SubtaskPartInput"}\#
        ]}}},"required":["parts"]}}},"required":true}}},"/session/{sessionID}/revert":{"post":{"tags":["session"],"ope\#
        rationId":"session.revert","parameters":[{"name":"sessionID","in":"path","schema":{"type":"string","pattern":"\#
        ^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"query","schema":{"type":"stri\#
        ng"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"respons\#
        es":{"200":{"description":"Updated session","content":{"application/json":{"schema":{"$ref":"#/components/sche\#
        mas/Session"}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"schem\#
        a":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/Inva\#
        lidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":"NotFoundError","c\#
        ontent":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"409":{"description":"S\#
        essionBusyError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/SessionBusyError"}}}},"\#
        403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/schema\#
        s/OutsideProject"}}}},"501":{"description":"OpenCode 2 has nothing for it","content":{"application/json":{"sch\#
        ema":{"$ref":"#/components/schemas/UnknownError"}}}}},"description":"Revert a specific message in a session, u\#
        ndoing its effects and restoring the previous state.","summary":"Revert message","requestBody":{"content":{"ap\#
        plication/json":{"schema":{"type":"object","properties":{"messageID":{"type":"string","pattern":"^msg"},"partI\#
        D":{"type":"string","pattern":"^prt"}},"required":["messageID"]}}},"required":true}}},"/session/{sessionID}/sh\#
        ell":{"post":{"tags":["session"],"operationId":"session.shell","parameters":[{"name":"sessionID","in":"path","\#
        schema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory"\#
        ,"in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"\#
        string"},"required":false}],"responses":{"200":{"description":"Created message","content":{"application/json":\#
        {"schema":{"type":"object","properties":{"info":{"$ref":"#/components/schemas/Message"},"parts":{"type":"array\#
        ","items":{"$ref":"#/components/schemas/Part"}}},"required":["info","parts"],"additionalProperties":false}}}},\#
        "400":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$r\#
        ef":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"}\#
        ,{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":"NotFoundError","content":{"applica\#
        tion/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"409":{"description":"SessionBusyError",\#
        "content":{"application/json":{"schema":{"$ref":"#/components/schemas/SessionBusyError"}}}},"403":{"descriptio\#
        n":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"\#
        }}}}},"description":"Execute a shell command within the session context and return the AI's response.","summar\#
        y":"Run shell command","requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"\#
        messageID":{"type":"string","pattern":"^msg"},"agent":{"type":"string"},"model":{"type":"object","properties":\#
        {"providerID":{"type":"string"},"modelID":{"type":"string"}},"required":["providerID","modelID"],"additionalPr\#
        operties":false},"command":{"type":"string"}},"required":["agent","command"]}}},"required":true}}},"/session/{\#
        sessionID}/summarize":{"post":{"tags":["session"],"operationId":"session.summarize","parameters":[{"name":"ses\#
        sionID","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true\#
        },{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"quer\#
        y","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Summarized session","conte\#
        nt":{"application/json":{"schema":{"type":"boolean"}}}},"400":{"description":"BadRequest | InvalidRequestError\#
        ","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadReque\#
        st"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},\#
        "404":{"description":"NotFoundError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Not\#
        FoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/\#
        components/schemas/OutsideProject"}}}}},"description":"Generate a concise summary of the session using AI comp\#
        action to preserve key information.","summary":"Summarize session","requestBody":{"content":{"application/json\#
        ":{"schema":{"type":"object","properties":{"providerID":{"type":"string"},"modelID":{"type":"string"},"auto":{\#
        "type":"boolean"}},"required":["providerID","modelID"]}}},"required":true}}},"/session/{sessionID}/unrevert":{\#
        "post":{"tags":["session"],"operationId":"session.unrevert","parameters":[{"name":"sessionID","in":"path","sch\#
        ema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","i\#
        n":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"str\#
        ing"},"required":false}],"responses":{"200":{"description":"Updated session","content":{"application/json":{"s\#
        chema":{"$ref":"#/components/schemas/Session"}}}},"400":{"description":"BadRequest | InvalidRequestError","con\#
        tent":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{\#
        "$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":\#
        {"description":"NotFoundError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundE\#
        rror"}}}},"409":{"description":"SessionBusyError","content":{"application/json":{"schema":{"$ref":"#/component\#
        s/schemas/SessionBusyError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"sch\#
        ema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Restore all previously reverted message\#
        s in a session.","summary":"Restore reverted messages"}}},"components":{"schemas":{"APIError":{"type":"object"\#
        ,"properties":{"name":{"type":"string","enum":["APIError"]},"data":{"type":"object","properties":{"message":{"\#
        type":"string"},"statusCode":{"type":"integer","minimum":0},"isRetryable":{"type":"boolean"},"responseHeaders"\#
        :{"type":"object","additionalProperties":{"type":"string"}},"responseBody":{"type":"string"},"metadata":{"type\#
        ":"object","additionalProperties":{"type":"string"}}},"required":["message","isRetryable"],"additionalProperti\#
        es":false}},"required":["name","data"],"additionalProperties":false},"Agent":{"type":"object","properties":{"n\#
        ame":{"type":"string"},"description":{"type":"string"},"mode":{"type":"string","enum":["subagent","primary","a\#
        ll"]},"native":{"type":"boolean"},"hidden":{"type":"boolean"},"topP":{"type":"number"},"temperature":{"type":"\#
        number"},"color":{"type":"string"},"permission":{"$ref":"#/components/schemas/PermissionRuleset"},"model":{"ty\#
        pe":"object","properties":{"modelID":{"type":"string"},"providerID":{"type":"string"}},"required":["modelID","\#
        providerID"],"additionalProperties":false},"variant":{"type":"string"},"prompt":{"type":"string"},"options":{"\#
        type":"object"},"steps":{"type":"number"}},"required":["name","mode","permission","options"],"additionalProper\#
        ties":false},"AgentConfig":{"type":"object","properties":{"model":{"type":"string"},"variant":{"type":"string"\#
        },"temperature":{"type":"number"},"top_p":{"type":"number"},"prompt":{"type":"string"},"tools":{"type":"object\#
        ","additionalProperties":{"type":"boolean"}},"disable":{"type":"boolean"},"description":{"type":"string"},"mod\#
        e":{"type":"string","enum":["subagent","primary","all"]},"hidden":{"type":"boolean"},"options":{"type":"object\#
        "},"color":{"anyOf":[{"type":"string","pattern":"^#[0-9a-fA-F]{6}$"},{"type":"string","enum":["primary","secon\#
        dary","accent","success","warning","error","info"]}]},"steps":{"type":"integer","exclusiveMinimum":0},"maxStep\#
        s":{"type":"integer","exclusiveMinimum":0},"permission":{"$ref":"#/components/schemas/PermissionConfig"}},"add\#
        itionalProperties":{}},"AgentPart":{"type":"object","properties":{"id":{"type":"string","pattern":"^prt"},"ses\#
        sionID":{"type":"string","pattern":"^ses"},"messageID":{"type":"string","pattern":"^msg"},"type":{"type":"stri\#
        ng","enum":["agent"]},"name":{"type":"string"},"source":{"type":"object","properties":{"value":{"type":"string\#
        "},"start":{"type":"integer","minimum":0},"end":{"type":"integer","minimum":0}},"required":["value","start","e\#
        nd"],"additionalProperties":false}},"required":["id","sessionID","messageID","type","name"],"additionalPropert\#
        ies":false},"AgentPartInput":{"type":"object","properties":{"id":{"type":"string","pattern":"^prt"},"type":{"t\#
        ype":"string","enum":["agent"]},"name":{"type":"string"},"source":{"type":"object","properties":{"value":{"typ\#
        e":"string"},"start":{"type":"integer","minimum":0},"end":{"type":"integer","minimum":0}},"required":["value",\#
        "start","end"],"additionalProperties":false}},"required":["type","name"],"additionalProperties":false},"Assist\#
        antMessage":{"type":"object","properties":{"id":{"type":"string","pattern":"^msg"},"sessionID":{"type":"string\#
        ","pattern":"^ses"},"role":{"type":"string","enum":["assistant"]},"time":{"type":"object","properties":{"creat\#
        ed":{"type":"integer","minimum":0},"completed":{"type":"integer","minimum":0}},"required":["created"],"additio\#
        nalProperties":false},"error":{"anyOf":[{"$ref":"#/components/schemas/ProviderAuthError"},{"$ref":"#/component\#
        s/schemas/UnknownError"},{"$ref":"#/components/schemas/MessageOutputLengthError"},{"$ref":"#/components/schema\#
        s/MessageAbortedError"},{"$ref":"#/components/schemas/StructuredOutputError"},{"$ref":"#/components/schemas/Co\#
        ntextOverflowError"},{"$ref":"#/components/schemas/ContentFilterError"},{"$ref":"#/components/schemas/APIError\#
        "}]},"parentID":{"type":"string","pattern":"^msg"},"modelID":{"type":"string"},"providerID":{"type":"string"},\#
        "mode":{"type":"string"},"agent":{"type":"string"},"path":{"type":"object","properties":{"cwd":{"type":"string\#
        "},"root":{"type":"string"}},"required":["cwd","root"],"additionalProperties":false},"summary":{"type":"boolea\#
        n"},"cost":{"type":"number"},"tokens":{"type":"object","properties":{"total":{"type":"number"},"input":{"type"\#
        :"number"},"output":{"type":"number"},"reasoning":{"type":"number"},"cache":{"type":"object","properties":{"re\#
        ad":{"type":"number"},"write":{"type":"number"}},"required":["read","write"],"additionalProperties":false}},"r\#
        equired":["input","output","reasoning","cache"],"additionalProperties":false},"structured":{},"variant":{"type\#
        ":"string"},"finish":{"type":"string"}},"required":["id","sessionID","role","time","parentID","modelID","provi\#
        derID","mode","agent","path","cost","tokens"],"additionalProperties":false},"AttachmentConfig":{"type":"object\#
        ","properties":{"image":{"$ref":"#/components/schemas/ImageAttachmentConfig"}},"additionalProperties":false},"\#
        BadRequestError":{"type":"object","required":["name","data"],"properties":{"name":{"type":"string","enum":["Ba\#
        dRequest"]},"data":{"type":"object","required":["message"],"properties":{"message":{"type":"string"},"kind":{"\#
        type":"string","enum":["Params","Headers","Query","Body","Payload"]}}}}},"Command":{"type":"object","propertie\#
        s":{"name":{"type":"string"},"description":{"type":"string"},"agent":{"type":"string"},"model":{"type":"string\#
        "},"source":{"type":"string","enum":["command","mcp","skill"]},"template":{"type":"string"},"subtask":{"type":\#
        "boolean"},"hints":{"type":"array","items":{"type":"string"}}},"required":["name","template","hints"],"additio\#
        nalProperties":false},"CompactionPart":{"type":"object","properties":{"id":{"type":"string","pattern":"^prt"},\#
        "sessionID":{"type":"string","pattern":"^ses"},"messageID":{"type":"string","pattern":"^msg"},"type":{"type":"\#
        string","enum":["compaction"]},"auto":{"type":"boolean"},"overflow":{"type":"boolean"},"tail_start_id":{"type"\#
        :"string","pattern":"^msg"}},"required":["id","sessionID","messageID","type","auto"],"additionalProperties":fa\#
        lse},"Config":{"type":"object","properties":{"$schema":{"type":"string"},"shell":{"type":"string"},"logLevel":\#
        {"$ref":"#/components/schemas/LogLevel"},"server":{"$ref":"#/components/schemas/ServerConfig"},"command":{"typ\#
        e":"object","additionalProperties":{"type":"object","properties":{"template":{"type":"string"},"description":{\#
        "type":"string"},"agent":{"type":"string"},"model":{"type":"string"},"variant":{"type":"string"},"subtask":{"t\#
        ype":"boolean"}},"required":["template"],"additionalProperties":false}},"skills":{"type":"object","properties"\#
        :{"paths":{"type":"array","items":{"type":"string"}},"urls":{"type":"array","items":{"type":"string"}}},"addit\#
        ionalProperties":false},"references":{"type":"object","additionalProperties":{"anyOf":[{"type":"string"},{"$re\#
        f":"#/components/schemas/ConfigV2ReferenceGit"},{"$ref":"#/components/schemas/ConfigV2ReferenceLocal"}]}},"ref\#
        erence":{"type":"object","additionalProperties":{"anyOf":[{"type":"string"},{"$ref":"#/components/schemas/Conf\#
        igV2ReferenceGit"},{"$ref":"#/components/schemas/ConfigV2ReferenceLocal"}]}},"watcher":{"type":"object","prope\#
        rties":{"ignore":{"type":"array","items":{"type":"string"}}},"additionalProperties":false},"snapshot":{"type":\#
        "boolean"},"plugin":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"array","prefixItems":[{"type"\#
        :"string"},{"type":"object"}],"maxItems":2,"minItems":2}]}},"share":{"type":"string","enum":["manual","auto","\#
        disabled"]},"autoshare":{"type":"boolean"},"autoupdate":{"anyOf":[{"type":"boolean"},{"type":"string","enum":[\#
        "notify"]}]},"disabled_providers":{"type":"array","items":{"type":"string"}},"enabled_providers":{"type":"arra\#
        y","items":{"type":"string"}},"model":{"type":"string"},"small_model":{"type":"string"},"default_agent":{"type\#
        ":"string"},"subagent_depth":{"type":"integer","minimum":0},"username":{"type":"string"},"mode":{"type":"objec\#
        t","properties":{"build":{"$ref":"#/components/schemas/AgentConfig"},"plan":{"$ref":"#/components/schemas/Agen\#
        tConfig"}},"additionalProperties":{"$ref":"#/components/schemas/AgentConfig"}},"agent":{"type":"object","prope\#
        rties":{"plan":{"$ref":"#/components/schemas/AgentConfig"},"build":{"$ref":"#/components/schemas/AgentConfig"}\#
        ,"general":{"$ref":"#/components/schemas/AgentConfig"},"explore":{"$ref":"#/components/schemas/AgentConfig"},"\#
        title":{"$ref":"#/components/schemas/AgentConfig"},"summary":{"$ref":"#/components/schemas/AgentConfig"},"comp\#
        action":{"$ref":"#/components/schemas/AgentConfig"}},"additionalProperties":{"$ref":"#/components/schemas/Agen\#
        tConfig"}},"provider":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/ProviderConfig"}},\#
        "mcp":{"type":"object","additionalProperties":{"anyOf":[{"$ref":"#/components/schemas/McpLocalConfig"},{"$ref"\#
        :"#/components/schemas/McpRemoteConfig"},{"type":"object","properties":{"enabled":{"type":"boolean"}},"require\#
        d":["enabled"],"additionalProperties":false}]}},"formatter":{"anyOf":[{"type":"boolean"},{"type":"object","add\#
        itionalProperties":{"type":"object","properties":{"disabled":{"type":"boolean"},"command":{"type":"array","ite\#
        ms":{"type":"string"}},"environment":{"type":"object","additionalProperties":{"type":"string"}},"extensions":{\#
        "type":"array","items":{"type":"string"}}},"additionalProperties":false}}]},"lsp":{"anyOf":[{"type":"boolean"}\#
        ,{"type":"object","additionalProperties":{"anyOf":[{"type":"object","properties":{"disabled":{"type":"boolean"\#
        ,"enum":[true]}},"required":["disabled"],"additionalProperties":false},{"type":"object","properties":{"command\#
        ":{"type":"array","items":{"type":"string"}},"extensions":{"type":"array","items":{"type":"string"}},"disabled\#
        ":{"type":"boolean"},"env":{"type":"object","additionalProperties":{"type":"string"}},"initialization":{"type"\#
        :"object"}},"required":["command"],"additionalProperties":false}]}}]},"instructions":{"type":"array","items":{\#
        "type":"string"}},"layout":{"$ref":"#/components/schemas/LayoutConfig"},"permission":{"$ref":"#/components/sch\#
        emas/PermissionConfig"},"tools":{"type":"object","additionalProperties":{"type":"boolean"}},"attachment":{"$re\#
        f":"#/components/schemas/AttachmentConfig"},"enterprise":{"type":"object","properties":{"url":{"type":"string"\#
        }},"additionalProperties":false},"tool_output":{"type":"object","properties":{"max_lines":{"type":"integer","e\#
        xclusiveMinimum":0},"max_bytes":{"type":"integer","exclusiveMinimum":0}},"additionalProperties":false},"compac\#
        tion":{"type":"object","properties":{"auto":{"type":"boolean"},"prune":{"type":"boolean"},"tail_turns":{"type"\#
        :"integer","minimum":0},"preserve_recent_tokens":{"type":"integer","minimum":0},"reserved":{"type":"integer","\#
        minimum":0}},"additionalProperties":false},"experimental":{"type":"object","properties":{"disable_paste_summar\#
        y":{"type":"boolean"},"batch_tool":{"type":"boolean"},"openTelemetry":{"type":"boolean"},"primary_tools":{"typ\#
        e":"array","items":{"type":"string"}},"continue_loop_on_deny":{"type":"boolean"},"mcp_timeout":{"type":"intege\#
        r","exclusiveMinimum":0},"policies":{"type":"array","items":{"$ref":"#/components/schemas/ConfigV2Experimental\#
        Policy"}}},"additionalProperties":false}},"additionalProperties":false},"ConfigV2ExperimentalPolicy":{"type":"\#
        object","properties":{"action":{"type":"string","enum":["provider.use"]},"effect":{"$ref":"#/components/schema\#
        s/PolicyEffect"},"resource":{"type":"string"}},"required":["action","effect","resource"],"additionalProperties\#
        ":false},"ConfigV2ReferenceGit":{"type":"object","properties":{"repository":{"type":"string"},"branch":{"type"\#
        :"string"},"description":{"type":"string"},"hidden":{"type":"boolean"}},"required":["repository"],"additionalP\#
        roperties":false},"ConfigV2ReferenceLocal":{"type":"object","properties":{"path":{"type":"string"},"descriptio\#
        n":{"type":"string"},"hidden":{"type":"boolean"}},"required":["path"],"additionalProperties":false},"ContentFi\#
        lterError":{"type":"object","properties":{"name":{"type":"string","enum":["ContentFilterError"]},"data":{"type\#
        ":"object","properties":{"message":{"type":"string"}},"required":["message"],"additionalProperties":false}},"r\#
        equired":["name","data"],"additionalProperties":false},"ContextOverflowError":{"type":"object","properties":{"\#
        name":{"type":"string","enum":["ContextOverflowError"]},"data":{"type":"object","properties":{"message":{"type\#
        ":"string"},"responseBody":{"type":"string"}},"required":["message"],"additionalProperties":false}},"required"\#
        :["name","data"],"additionalProperties":false},"Event":{"anyOf":[{"$ref":"#/components/schemas/EventSessionCre\#
        ated"},{"$ref":"#/components/schemas/EventSessionUpdated"},{"$ref":"#/components/schemas/EventSessionDeleted"}\#
        ,{"$ref":"#/components/schemas/EventMessageUpdated"},{"$ref":"#/components/schemas/EventMessageRemoved"},{"$re\#
        f":"#/components/schemas/EventMessagePartUpdated"},{"$ref":"#/components/schemas/EventMessagePartDelta"},{"$re\#
        f":"#/components/schemas/EventSessionDiff"},{"$ref":"#/components/schemas/EventSessionError"},{"$ref":"#/compo\#
        nents/schemas/EventFileEdited"},{"$ref":"#/components/schemas/EventFileWatcherUpdated"},{"$ref":"#/components/\#
        schemas/EventPtyCreated"},{"$ref":"#/components/schemas/EventPtyUpdated"},{"$ref":"#/components/schemas/EventP\#
        tyExited"},{"$ref":"#/components/schemas/EventPtyDeleted"},{"$ref":"#/components/schemas/EventPermissionAsked"\#
        },{"$ref":"#/components/schemas/EventPermissionReplied"},{"$ref":"#/components/schemas/EventProjectUpdated"},{\#
        "$ref":"#/components/schemas/EventSessionStatus"},{"$ref":"#/components/schemas/EventSessionIdle"},{"$ref":"#/\#
        components/schemas/EventQuestionAsked"},{"$ref":"#/components/schemas/EventQuestionReplied"},{"$ref":"#/compon\#
        ents/schemas/EventQuestionRejected"},{"$ref":"#/components/schemas/EventSessionCompacted"},{"$ref":"#/componen\#
        ts/schemas/EventVcsBranchUpdated"},{"$ref":"#/components/schemas/EventServerConnected"},{"$ref":"#/components/\#
        schemas/EventServerInstanceDisposed"}]},"EventFileEdited":{"type":"object","properties":{"id":{"type":"string"\#
        ,"pattern":"^evt_"},"type":{"type":"string","enum":["file.edited"]},"properties":{"type":"object","properties"\#
        :{"file":{"type":"string"}},"required":["file"],"additionalProperties":false}},"required":["id","type","proper\#
        ties"],"additionalProperties":false},"EventFileWatcherUpdated":{"type":"object","properties":{"id":{"type":"st\#
        ring","pattern":"^evt_"},"type":{"type":"string","enum":["file.watcher.updated"]},"properties":{"type":"object\#
        ","properties":{"file":{"type":"string"},"event":{"type":"string","enum":["add","change","unlink"]}},"required\#
        ":["file","event"],"additionalProperties":false}},"required":["id","type","properties"],"additionalProperties"\#
        :false},"EventMessagePartDelta":{"type":"object","properties":{"id":{"type":"string","pattern":"^evt_"},"type"\#
        :{"type":"string","enum":["message.part.delta"]},"properties":{"type":"object","properties":{"sessionID":{"typ\#
        e":"string","pattern":"^ses"},"messageID":{"type":"string","pattern":"^msg"},"partID":{"type":"string","patter\#
        n":"^prt"},"field":{"type":"string"},"delta":{"type":"string"}},"required":["sessionID","messageID","partID","\#
        field","delta"],"additionalProperties":false}},"required":["id","type","properties"],"additionalProperties":fa\#
        lse},"EventMessagePartUpdated":{"type":"object","properties":{"id":{"type":"string","pattern":"^evt_"},"type":
        """#
}
