// SPDX-License-Identifier: Apache-2.0

// Made by scripts/bridge-document.py out of OpenCode 1.18.33's own document.
extension Document {
    static let part3 = #"""
        "boolean"}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":\#
        {"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/Invalid\#
        RequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":"Not found","content"\#
        :{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside \#
        the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"descr\#
        iption":"Write a log entry to the server logs with specified level and metadata.","summary":"Write log","reque\#
        stBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"service":{"type":"string"},"l\#
        evel":{"type":"string","enum":["debug","info","error","warn"]},"message":{"type":"string"},"extra":{"type":"ob\#
        ject"}},"required":["service","level","message"]}}},"required":true}}},"/permission/{requestID}/reply":{"post"\#
        :{"tags":["permission"],"operationId":"permission.reply","parameters":[{"name":"requestID","in":"path","schema\#
        ":{"type":"string","pattern":"^per[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":\#
        "query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string\#
        "},"required":false}],"responses":{"200":{"description":"Permission processed successfully","content":{"applic\#
        ation/json":{"schema":{"type":"boolean"}}}},"400":{"description":"BadRequest | InvalidRequestError","content":\#
        {"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref"\#
        :"#/components/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"desc\#
        ription":"PermissionNotFoundError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/sch\#
        emas/PermissionNotFoundError"},{"$ref":"#/components/schemas/NotFoundError"}]}}}},"403":{"description":"Outsid\#
        e the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"des\#
        cription":"Approve or deny a permission request from the AI assistant.","summary":"Respond to permission reque\#
        st","requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"reply":{"type":"str\#
        ing","enum":["once","always","reject"]},"message":{"type":"string"}},"required":["reply"]}}},"required":true}}\#
        },"/pty/{ptyID}/connect-token":{"post":{"tags":["pty"],"operationId":"pty.connectToken","parameters":[{"name":\#
        "ptyID","in":"path","schema":{"type":"string","pattern":"^pty[A-Za-z0-9_-]*$","maxLength":128},"required":true\#
        },{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"quer\#
        y","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"WebSocket connect token","\#
        content":{"application/json":{"schema":{"$ref":"#/components/schemas/PtyTicketConnectToken"}}}},"400":{"descri\#
        ption":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}\#
        },"403":{"description":"PtyForbiddenError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/compon\#
        ents/schemas/PtyForbiddenError"},{"$ref":"#/components/schemas/OutsideProject"}]}}}},"404":{"description":"Pty\#
        NotFoundError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/PtyNotFoundErro\#
        r"},{"$ref":"#/components/schemas/NotFoundError"}]}}}}},"description":"Create a short-lived ticket for opening\#
         a PTY WebSocket connection.","summary":"Create PTY WebSocket token"}},"/question/{requestID}/reject":{"post":\#
        {"tags":["question"],"operationId":"question.reject","parameters":[{"name":"requestID","in":"path","schema":{"\#
        type":"string","pattern":"^que[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"que\#
        ry","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"\#
        required":false}],"responses":{"200":{"description":"Question rejected successfully","content":{"application/j\#
        son":{"schema":{"type":"boolean"}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"appli\#
        cation/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/com\#
        ponents/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description\#
        ":"QuestionNotFoundError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/Ques\#
        tionNotFoundError"},{"$ref":"#/components/schemas/NotFoundError"}]}}}},"403":{"description":"Outside the proje\#
        ct","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"\#
        Reject a question request from the AI assistant.","summary":"Reject question request"}},"/question/{requestID}\#
        /reply":{"post":{"tags":["question"],"operationId":"question.reply","parameters":[{"name":"requestID","in":"pa\#
        th","schema":{"type":"string","pattern":"^que[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"direc\#
        tory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"ty\#
        pe":"string"},"required":false}],"responses":{"200":{"description":"Question answered successfully","content":\#
        {"application/json":{"schema":{"type":"boolean"}}}},"400":{"description":"BadRequest | InvalidRequestError","c\#
        ontent":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"}\#
        ,{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404\#
        ":{"description":"QuestionNotFoundError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/componen\#
        ts/schemas/QuestionNotFoundError"},{"$ref":"#/components/schemas/NotFoundError"}]}}}},"403":{"description":"Ou\#
        tside the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},\#
        "description":"Provide answers to a question request from the AI assistant.","summary":"Reply to question requ\#
        est","requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"answers":{"type":"\#
        array","items":{"$ref":"#/components/schemas/QuestionAnswer"}}},"required":["answers"]}}},"required":true}}},"\#
        /session/{sessionID}/abort":{"post":{"tags":["session"],"operationId":"session.abort","parameters":[{"name":"s\#
        essionID","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":tr\#
        ue},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"qu\#
        ery","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Aborted session","conten\#
        t":{"application/json":{"schema":{"type":"boolean"}}}},"400":{"description":"BadRequest | InvalidRequestError"\#
        ,"content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadReques\#
        t"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"\#
        404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFound\#
        Error"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/compo\#
        nents/schemas/OutsideProject"}}}}},"description":"Abort an active session and stop any ongoing AI processing o\#
        r command execution.","summary":"Abort session"}},"/session/{sessionID}/command":{"post":{"tags":["session"],"\#
        operationId":"session.command","parameters":[{"name":"sessionID","in":"path","schema":{"type":"string","patter\#
        n":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"query","schema":{"type":"\#
        string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"res\#
        ponses":{"200":{"description":"Created message","content":{"application/json":{"schema":{"type":"object","requ\#
        ired":["info","parts"],"properties":{"info":{"$ref":"#/components/schemas/AssistantMessage"},"parts":{"type":"\#
        array","items":{"$ref":"#/components/schemas/Part"}}}}}}},"400":{"description":"BadRequest | InvalidRequestErr\#
        or","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadReq\#
        uest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}\#
        },"404":{"description":"NotFoundError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/N\#
        otFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"anyOf":\#
        [{"$ref":"#/components/schemas/OutsideProject"},{"$ref":"#/components/schemas/UnknownError"}]}}}}},"descriptio\#
        n":"Send a new command to a session for execution by the AI assistant.","summary":"Send command","requestBody"\#
        :{"content":{"application/json":{"schema":{"type":"object","properties":{"messageID":{"type":"string","pattern\#
        ":"^msg"},"agent":{"type":"string"},"model":{"type":"string"},"arguments":{"type":"string"},"command":{"type":\#
        "string"},"variant":{"type":"string"},"parts":{"type":"array","items":{"type":"object","properties":{"id":{"ty\#
        pe":"string","pattern":"^prt"},"type":{"type":"string","enum":["file"]},"mime":{"type":"string"},"filename":{"\#
        type":"string"},"url":{"type":"string"},"source":{"$ref":"#/components/schemas/FilePartSource"}},"required":["\#
        type","mime","url"],"additionalProperties":false}}},"required":["arguments","command"]}}},"required":true}}},"\#
        /session/{sessionID}/fork":{"post":{"tags":["session"],"operationId":"session.fork","parameters":[{"name":"ses\#
        sionID","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true\#
        },{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"quer\#
        y","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"200","content":{"applicati\#
        on/json":{"schema":{"$ref":"#/components/schemas/Session"}}}},"400":{"description":"BadRequest | InvalidReques\#
        tError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_Ba\#
        dRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}\#
        ]}}}},"404":{"description":"NotFoundError","content":{"application/json":{"schema":{"$ref":"#/components/schem\#
        as/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$re\#
        f":"#/components/schemas/OutsideProject"}}}}},"description":"Create a new session by forking an existing sessi\#
        on at a specific message point.","summary":"Fork session","requestBody":{"content":{"application/json":{"schem\#
        a":{"type":"object","properties":{"messageID":{"type":"string","pattern":"^msg"}}}}}}}},"/session/{sessionID}/\#
        permissions/{permissionID}":{"post":{"tags":["session"],"operationId":"permission.respond","parameters":[{"nam\#
        e":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"require\#
        d":true},{"name":"permissionID","in":"path","schema":{"type":"string","pattern":"^per[A-Za-z0-9_-]*$","maxLeng\#
        th":128},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name\#
        ":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Pe\#
        rmission processed successfully","content":{"application/json":{"schema":{"type":"boolean"}}}},"400":{"descrip\#
        tion":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/componen\#
        ts/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/com\#
        ponents/schemas/BadRequestError"}]}}}},"404":{"description":"NotFoundError | PermissionNotFoundError","content\#
        ":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/NotFoundError"},{"$ref":"#/components/\#
        schemas/PermissionNotFoundError"}]}}}},"403":{"description":"Outside the project","content":{"application/json\#
        ":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Approve or deny a permission req\#
        uest from the AI assistant.","summary":"Respond to permission","deprecated":true,"requestBody":{"content":{"ap\#
        plication/json":{"schema":{"type":"object","properties":{"response":{"type":"string","enum":["once","always","\#
        reject"]}},"required":["response"]}}},"required":true}}},"/session/{sessionID}/prompt_async":{"post":{"tags":[\#
        "session"],"operationId":"session.prompt_async","parameters":[{"name":"sessionID","in":"path","schema":{"type"\#
        :"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"query","\#
        schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"requi\#
        red":false}],"responses":{"204":{},"400":{"description":"BadRequest | InvalidRequestError","content":{"applica\#
        tion/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/compo\#
        nents/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":\#
        "NotFoundError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403"\#
        :{"description":"Outside the project","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/\#
        schemas/OutsideProject"},{"$ref":"#/components/schemas/UnknownError"}]}}}},"501":{"description":"OpenCode 2 ha\#
        s nothing for it","content":{"application/json":{"schema":{"$ref":"#/components/schemas/UnknownError"}}}}},"de\#
        scription":"Create and send a new message to a session asynchronously, starting the session if needed and retu\#
        rning immediately.","summary":"Send async message","requestBody":{"content":{"application/json":{"schema":{"ty\#
        pe":"object","properties":{"messageID":{"type":"string","pattern":"^msg"},"model":{"type":"object","properties\#
        ":{"providerID":{"type":"string"},"modelID":{"type":"string"}},"required":["providerID","modelID"],"additional\#
        Properties":false},"agent":{"type":"string"},"noReply":{"type":"boolean"},"tools":{"type":"object","additional\#
        Properties":{"type":"boolean"}},"format":{"$ref":"#/components/schemas/OutputFormat"},"system":{"type":"string\#
        "},"variant":{"type":"string"},"parts":{"type":"array","items":{"anyOf":[{"$ref":"#/components/schemas/TextPar\#
        tInput"},{"$ref":"#/components/schemas/FilePartInput"},{"$ref":"#/components/schemas/AgentPartInput"},{"$ref":\#
        "#/components/schemas/SubtaskPartInput"}]}}},"required":["parts"]}}},"required":true}}},"/session/{sessionID}/\#
        revert":{"post":{"tags":["session"],"operationId":"session.revert","parameters":[{"name":"sessionID","in":"pat\#
        h","schema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"direct\#
        ory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"typ\#
        e":"string"},"required":false}],"responses":{"200":{"description":"Updated session","content":{"application/js\#
        on":{"schema":{"$ref":"#/components/schemas/Session"}}}},"400":{"description":"BadRequest | InvalidRequestErro\#
        r","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequ\#
        est"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}}\#
        ,"404":{"description":"NotFoundError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/No\#
        tFoundError"}}}},"409":{"description":"SessionBusyError","content":{"application/json":{"schema":{"$ref":"#/co\#
        mponents/schemas/SessionBusyError"}}}},"403":{"description":"Outside the project","content":{"application/json\#
        ":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}},"501":{"description":"OpenCode 2 has nothing for\#
         it","content":{"application/json":{"schema":{"$ref":"#/components/schemas/UnknownError"}}}}},"description":"R\#
        evert a specific message in a session, undoing its effects and restoring the previous state.","summary":"Rever\#
        t message","requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"messageID":{\#
        "type":"string","pattern":"^msg"},"partID":{"type":"string","pattern":"^prt"}},"required":["messageID"]}}},"re\#
        quired":true}}},"/session/{sessionID}/shell":{"post":{"tags":["session"],"operationId":"session.shell","parame\#
        ters":[{"name":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":1\#
        28},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"wo\#
        rkspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Created\#
         message","content":{"application/json":{"schema":{"type":"object","properties":{"info":{"$ref":"#/components/\#
        schemas/Message"},"parts":{"type":"array","items":{"$ref":"#/components/schemas/Part"}}},"required":["info","p\#
        arts"],"additionalProperties":false}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"ap\#
        plication/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/\#
        components/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"descript\#
        ion":"NotFoundError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},\#
        "409":{"description":"SessionBusyError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/\#
        SessionBusyError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$re\#
        f":"#/components/schemas/OutsideProject"}}}}},"description":"Execute a shell command within the session contex\#
        t and return the AI's response.","summary":"Run shell command","requestBody":{"content":{"application/json":{"\#
        schema":{"type":"object","properties":{"messageID":{"type":"string","pattern":"^msg"},"agent":{"type":"string"\#
        },"model":{"type":"object","properties":{"providerID":{"type":"string"},"modelID":{"type":"string"}},"required\#
        ":["providerID","modelID"],"additionalProperties":false},"command":{"type":"string"}},"required":["agent","com\#
        mand"]}}},"required":true}}},"/session/{sessionID}/summarize":{"post":{"tags":["session"],"operationId":"sessi\#
        on.summarize","parameters":[{"name":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0-\#
        9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"require\#
        d":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"\#
        description":"Summarized session","content":{"application/json":{"schema":{"type":"boolean"}}}},"400":{"descri\#
        ption":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/compone\#
        nts/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/co\#
        mponents/schemas/BadRequestError"}]}}}},"404":{"description":"NotFoundError","content":{"application/json":{"s\#
        chema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{\#
        "application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Generate a conc\#
        ise summary of the session using AI compaction to preserve key information.","summary":"Summarize session","re\#
        questBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"providerID":{"type":"strin\#
        g"},"modelID":{"type":"string"},"auto":{"type":"boolean"}},"required":["providerID","modelID"]}}},"required":t\#
        rue}}},"/session/{sessionID}/unrevert":{"post":{"tags":["session"],"operationId":"session.unrevert","parameter\#
        s":[{"name":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128}\#
        ,"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"works\#
        pace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Updated se\#
        ssion","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Session"}}}},"400":{"description"\#
        :"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/sc\#
        hemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/componen\#
        ts/schemas/BadRequestError"}]}}}},"404":{"description":"NotFoundError","content":{"application/json":{"schema"\#
        :{"$ref":"#/components/schemas/NotFoundError"}}}},"409":{"description":"SessionBusyError","content":{"applicat\#
        ion/json":{"schema":{"$ref":"#/components/schemas/SessionBusyError"}}}},"403":{"description":"Outside the proj\#
        ect","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":\#
        "Restore all previously reverted messages in a session.","summary":"Restore reverted messages"}}},"components"\#
        :{"schemas":{"APIError":{"type":"object","properties":{"name":{"type":"string","enum":["APIError"]},"data":{"t\#
        ype":"object","properties":{"message":{"type":"string"},"statusCode":{"type":"integer","minimum":0},"isRetryab\#
        le":{"type":"boolean"},"responseHeaders":{"type":"object","additionalProperties":{"type":"string"}},"responseB\#
        ody":{"type":"string"},"metadata":{"type":"object","additionalProperties":{"type":"string"}}},"required":["mes\#
        sage","isRetryable"],"additionalProperties":false}},"required":["name","data"],"additionalProperties":false},"\#
        Agent":{"type":"object","properties":{"name":{"type":"string"},"description":{"type":"string"},"mode":{"type":\#
        "string","enum":["subagent","primary","all"]},"native":{"type":"boolean"},"hidden":{"type":"boolean"},"topP":{\#
        "type":"number"},"temperature":{"type":"number"},"color":{"type":"string"},"permission":{"$ref":"#/components/\#
        schemas/PermissionRuleset"},"model":{"type":"object","properties":{"modelID":{"type":"string"},"providerID":{"\#
        type":"string"}},"required":["modelID","providerID"],"additionalProperties":false},"variant":{"type":"string"}\#
        ,"prompt":{"type":"string"},"options":{"type":"object"},"steps":{"type":"number"}},"required":["name","mode","\#
        permission","options"],"additionalProperties":false},"AgentConfig":{"type":"object","properties":{"model":{"ty\#
        pe":"string"},"variant":{"type":"string"},"temperature":{"type":"number"},"top_p":{"type":"number"},"prompt":{\#
        "type":"string"},"tools":{"type":"object","additionalProperties":{"type":"boolean"}},"disable":{"type":"boolea\#
        n"},"description":{"type":"string"},"mode":{"type":"string","enum":["subagent","primary","all"]},"hidden":{"ty\#
        pe":"boolean"},"options":{"type":"object"},"color":{"anyOf":[{"type":"string","pattern":"^#[0-9a-fA-F]{6}$"},{\#
        "type":"string","enum":["primary","secondary","accent","success","warning","error","info"]}]},"steps":{"type":\#
        "integer","exclusiveMinimum":0},"maxSteps":{"type":"integer","exclusiveMinimum":0},"permission":{"$ref":"#/com\#
        ponents/schemas/PermissionConfig"}},"additionalProperties":{}},"AgentPart":{"type":"object","properties":{"id"\#
        :{"type":"string","pattern":"^prt"},"sessionID":{"type":"string","pattern":"^ses"},"messageID":{"type":"string\#
        ","pattern":"^msg"},"type":{"type":"string","enum":["agent"]},"name":{"type":"string"},"source":{"type":"objec\#
        t","properties":{"value":{"type":"string"},"start":{"type":"integer","minimum":0},"end":{"type":"integer","min\#
        imum":0}},"required":["value","start","end"],"additionalProperties":false}},"required":["id","sessionID","mess\#
        ageID","type","name"],"additionalProperties":false},"AgentPartInput":{"type":"object","properties":{"id":{"typ\#
        e":"string","pattern":"^prt"},"type":{"type":"string","enum":["agent"]},"name":{"type":"string"},"source":{"ty\#
        pe":"object","properties":{"value":{"type":"string"},"start":{"type":"integer","minimum":0},"end":{"type":"int\#
        eger","minimum":0}},"required":["value","start","end"],"additionalProperties":false}},"required":["type","name\#
        "],"additionalProperties":false},"AssistantMessage":{"type":"object","properties":{"id":{"type":"string","patt\#
        ern":"^msg"},"sessionID":{"type":"string","pattern":"^ses"},"role":{"type":"string","enum":["assistant"]},"tim\#
        e":{"type":"object","properties":{"created":{"type":"integer","minimum":0},"completed":{"type":"integer","mini\#
        mum":0}},"required":["created"],"additionalProperties":false},"error":{"anyOf":[{"$ref":"#/components/schemas/\#
        ProviderAuthError"},{"$ref":"#/components/schemas/UnknownError"},{"$ref":"#/components/schemas/MessageOutputLe\#
        ngthError"},{"$ref":"#/components/schemas/MessageAbortedError"},{"$ref":"#/components/schemas/StructuredOutput\#
        Error"},{"$ref":"#/components/schemas/ContextOverflowError"},{"$ref":"#/components/schemas/ContentFilterError"\#
        },{"$ref":"#/components/schemas/APIError"}]},"parentID":{"type":"string","pattern":"^msg"},"modelID":{"type":"\#
        string"},"providerID":{"type":"string"},"mode":{"type":"string"},"agent":{"type":"string"},"path":{"type":"obj\#
        ect","properties":{"cwd":{"type":"string"},"root":{"type":"string"}},"required":["cwd","root"],"additionalProp\#
        erties":false},"summary":{"type":"boolean"},"cost":{"type":"number"},"tokens":{"type":"object","properties":{"\#
        total":{"type":"number"},"input":{"type":"number"},"output":{"type":"number"},"reasoning":{"type":"number"},"c\#
        ache":{"type":"object","properties":{"read":{"type":"number"},"write":{"type":"number"}},"required":["read","w\#
        rite"],"additionalProperties":false}},"required":["input","output","reasoning","cache"],"additionalProperties"\#
        :false},"structured":{},"variant":{"type":"string"},"finish":{"type":"string"}},"required":["id","sessionID","\#
        role","time","parentID","modelID","providerID","mode","agent","path","cost","tokens"],"additionalProperties":f\#
        alse},"AttachmentConfig":{"type":"object","properties":{"image":{"$ref":"#/components/schemas/ImageAttachmentC\#
        onfig"}},"additionalProperties":false},"BadRequestError":{"type":"object","required":["name","data"],"properti\#
        es":{"name":{"type":"string","enum":["BadRequest"]},"data":{"type":"object","required":["message"],"properties\#
        ":{"message":{"type":"string"},"kind":{"type":"string","enum":["Params","Headers","Query","Body","Payload"]}}}\#
        }},"Command":{"type":"object","properties":{"name":{"type":"string"},"description":{"type":"string"},"agent":{\#
        "type":"string"},"model":{"type":"string"},"source":{"type":"string","enum":["command","mcp","skill"]},"templa\#
        te":{"type":"string"},"subtask":{"type":"boolean"},"hints":{"type":"array","items":{"type":"string"}}},"requir\#
        ed":["name","template","hints"],"additionalProperties":false},"CompactionPart":{"type":"object","properties":{
        """#
}
